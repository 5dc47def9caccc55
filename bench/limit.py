"""The limit: what the encoder alone takes for the frames of a film, fed from memory.

``python -m bench.limit FILM FIRST LAST`` decodes a stretch of frames, then encodes them with our options in
one thread, as fast as it can, and prints frames a second.
"""

from __future__ import annotations

import io
import sys
import time
from fractions import Fraction
from itertools import islice

import av
from av.video.frame import PictureType

from film.preset import PRESETS


def main(path: str, first: int, last: int) -> None:
    """Print how many frames a second one encoder takes."""
    preset = PRESETS["lecture"]
    clock = Fraction(1, preset.fps)
    with av.open(path) as container:
        frames = list(islice(container.decode(video=0), first, last))
    with av.open(io.BytesIO(), mode="w", format="mp4") as output:
        stream = output.add_stream("libx264", rate=preset.fps, options=preset.options)
        stream.width, stream.height, stream.pix_fmt = preset.width_px, preset.height_px, "yuv420p"
        stream.codec_context.thread_count = 1
        stream.codec_context.time_base = clock
        started = time.monotonic()
        for n, frame in enumerate(frames):
            frame.pts, frame.time_base, frame.pict_type = n, clock, PictureType.NONE
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
        seconds = time.monotonic() - started
    print(len(frames) / seconds)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
