"""Sound of a film: recordings read, put where they belong, and encoded as one AAC track."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.audio.resampler import AudioResampler

from film.errors import RequestError

RATE_HZ = 48_000

Samples = npt.NDArray[np.int16]
"""Mono, 48 kHz."""


def read_sound(path: Path) -> Samples:
    """A recording of any format and rate as samples.

    Raises
    ------
    RequestError
        If it cannot be read to its end, or holds no sound.
    """
    pieces: list[Samples] = []
    resampler = AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
    try:
        with av.open(path) as container:
            if not container.streams.audio:
                raise RequestError(f"{path} holds no sound; a voice is a WAV or MP3 file")
            for frame in container.decode(container.streams.audio[0]):
                pieces += map(_samples, resampler.resample(frame))
            pieces += map(_samples, resampler.resample(None))
    except (OSError, av.FFmpegError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RequestError(
            f"cannot read the voice {path}: {reason}; record it again as WAV or MP3"
        ) from error
    samples = np.concatenate(pieces) if pieces else np.empty(0, np.int16)
    if not samples.size:
        raise RequestError(f"{path} holds no sound; record it again as WAV or MP3")
    return samples


def _samples(frame: av.AudioFrame) -> Samples:
    return frame.to_ndarray().reshape(-1).astype(np.int16, copy=False)


def sound_length_s(path: Path) -> float:
    """How long a recording lasts, in seconds, counted in samples.

    Raises
    ------
    RequestError
        If it is not a recording.
    """
    return float(Fraction(len(read_sound(path)), RATE_HZ))
