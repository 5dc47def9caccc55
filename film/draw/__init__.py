"""One stage becomes segments, in a process of its own; manim, cairo and the encoder are only here."""
