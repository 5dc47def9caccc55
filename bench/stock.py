"""Manim's own command on one stage file, as it comes or with this project's encoder options.

``python -m bench.stock FILE MEDIA [ours]``
"""

from __future__ import annotations

import sys


def main(path: str, media: str, encoder: str = "own") -> None:
    """Render one stage file as ``manim render -qh --disable_caching`` does."""
    from manim import config
    from manim.__main__ import main as manim

    if encoder == "ours":
        from film.preset import ENCODER

        config.video_encoder_options = dict(ENCODER)
    arguments = ["render", "-qh", "--disable_caching", "--progress_bar", "none", "--media_dir", media]
    manim([*arguments, path], prog_name="manim")


if __name__ == "__main__":
    main(*sys.argv[1:])
