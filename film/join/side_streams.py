"""Writes what a film carries beside its picture into an MP4 being written: subtitles, chapters, a voice."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.packet import Packet

from film.join.tracks import ISO_639_2, Clip, Subtitles, Tracks
from film.media.sound import RATE_HZ, Samples, read_sound

BLOCK = 1024
"""Samples of one AAC frame."""
BITS_PER_S = 128_000

NAMES = {"zh": "中文", "en": "English"}
"""What a player's menu calls each subtitle track."""

STYLE = b"""[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, \
Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, \
Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Sans,18,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""
"""White, centred, below: what the encoder of MP4 subtitles makes its sample description of."""

TimedPacket = tuple[Fraction, Any]
"""When a packet is due, in seconds, and the packet."""


class Beside:
    """The streams of one film beside its picture.

    Packets of all streams lie in the file in the order of their times, as players want to read them: so they
    are written as the picture advances.

    Parameters
    ----------
    output
        The film, its picture stream already added.
    tracks
        What to write.
    frames, fps
        Length and rate of the film.
    """

    def __init__(self, output: OutputContainer, tracks: Tracks, frames: int, fps: Fraction) -> None:
        self._output = output
        self._tick = 1 / fps
        waiting = [self._subtitles(subtitles) for subtitles in tracks.subtitles if subtitles.cues]
        if tracks.clips:
            waiting.append(self._voice(tracks, frames, fps))
        if tracks.chapters:
            output.set_chapters(
                [
                    {
                        "id": number,
                        "start": chapter.start,
                        "end": chapter.stop,
                        "time_base": self._tick,
                        "metadata": {"title": chapter.title},
                    }
                    for number, chapter in enumerate(tracks.chapters, start=1)
                ]
            )
        self._waiting = [(next(packets, None), packets) for packets in waiting]

    def write_until(self, seconds: Fraction) -> None:
        """Write every packet that is due before a time of the film."""
        for place, (packet, packets) in enumerate(self._waiting):
            while packet is not None and packet[0] < seconds:
                self._output.mux(packet[1])
                packet = next(packets, None)
            self._waiting[place] = (packet, packets)

    def finish(self) -> None:
        """Write whatever is left."""
        for packet, packets in self._waiting:
            for _, left in chain([packet] if packet is not None else [], packets):
                self._output.mux(left)
        self._waiting = []

    def _subtitles(self, subtitles: Subtitles) -> Iterator[TimedPacket]:
        stream = self._output.add_stream("mov_text")
        stream.time_base = stream.codec_context.time_base = self._tick
        stream.codec_context.subtitle_header = STYLE
        stream.metadata["language"] = ISO_639_2[subtitles.language]
        stream.metadata["handler_name"] = NAMES[subtitles.language]

        def packets() -> Iterator[TimedPacket]:
            for cue in subtitles.cues:
                text = cue.text.encode()
                packet: Any = av.Packet(struct.pack(">H", len(text)) + text)  # 3GPP TS 26.245, 5.17.1
                packet.stream, packet.time_base = stream, self._tick
                packet.pts = packet.dts = cue.start
                packet.duration = cue.stop - cue.start
                yield cue.start * self._tick, packet

        return packets()

    def _voice(self, tracks: Tracks, frames: int, fps: Fraction) -> Iterator[TimedPacket]:
        stream = self._output.add_stream("aac", rate=RATE_HZ, layout="mono")
        if not isinstance(stream, AudioStream):
            raise TypeError("AAC is sound")
        stream.bit_rate = BITS_PER_S
        samples = mix_clips(tracks.clips, frames, int(fps))

        def packets() -> Iterator[TimedPacket]:
            for packet in encode_sound(samples, stream):
                start = packet.pts * packet.time_base if packet.pts is not None else Fraction(0)
                yield Fraction(start), packet

        return packets()


def mix_clips(clips: Sequence[Clip], frames: int, fps: int) -> Samples:
    """The sound of a whole film, silent where nobody speaks.

    Parameters
    ----------
    clips
        Recordings with the frame each begins with; what would outlast the film is cut.
    frames, fps
        Length and rate of the film.
    """
    mixed = np.zeros(round(Fraction(frames, fps) * RATE_HZ), np.int16)
    for clip in clips:
        start = round(Fraction(clip.start, fps) * RATE_HZ)
        samples = read_sound(clip.path)[: len(mixed) - start]
        mixed[start : start + len(samples)] = samples
    return mixed


def encode_sound(samples: Samples, stream: AudioStream) -> Iterator[Packet[AudioStream]]:
    """The packets of an AAC stream, in order."""
    for start in range(0, len(samples), BLOCK):
        block = samples[start : start + BLOCK].astype(np.float32) / 32_768
        frame = av.AudioFrame.from_ndarray(block.reshape(1, -1), format="fltp", layout="mono")
        frame.sample_rate, frame.time_base, frame.pts = RATE_HZ, Fraction(1, RATE_HZ), start
        yield from stream.encode(frame)
    yield from stream.encode(None)
