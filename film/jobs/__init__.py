"""The jobs of a run: ordered, shared out, watched."""
