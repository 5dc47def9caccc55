"""Skipped pictures: a decoder shows the same again, and every other picture is as the encoder made it."""

from __future__ import annotations

import logging
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.bitstream import BitStreamFilterContext
from hypothesis import given, settings
from hypothesis import strategies as st

from film.draw.encode import SegmentEncoder
from film.draw.skip import IDR, SLICE, Bits, SkipWriter, UnknownStreamError, _escaped, _unescaped, _units
from film.join.packets import join_film
from film.media.read import decode_frames, probe_film
from film.preset import KEYFRAME_EVERY_S, Preset
from tests.film.kit import TINY, picture

COLOURS = ((15, 18, 24), (102, 171, 237), (248, 185, 86), (74, 227, 196), (252, 90, 184))
Image = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]


def moved(step: int, preset: Preset = TINY) -> Image:
    """A picture with soft and hard edges, some of which move with ``step``."""
    pixels = picture(preset, COLOURS[0])
    pixels[20:60, 30 + 3 * step : 90 + 3 * step, :3] = COLOURS[step % 5]
    ramp = np.arange(preset.width_px) * 255 // preset.width_px
    pixels[100:140, :, 0] = np.roll(ramp, 5 * step).astype(np.uint8)
    return pixels


def write(
    path: Path, steps: list[tuple[int, int]], preset: Preset = TINY, *, skips: bool = True
) -> list[Image]:
    """Encode each step for so many frames, and decode them."""
    with SegmentEncoder(path, preset, skips=skips) as encoder:
        for step, repeat in steps:
            encoder.write(moved(step, preset), repeat)
    return list(decode_frames(path))


@pytest.mark.parametrize("preset", [TINY, Preset("odd", 426, 240, 30), Preset("full", 1920, 1080, 60)])
def test_what_moves_is_as_without_skipped_pictures(
    tmp_path: Path, preset: Preset, caplog: pytest.LogCaptureFixture
) -> None:
    """A hold between moves shifts the count of every picture after it; a wrong count shows as decay."""
    steps = [(0, 3), (1, 1), (2, 40), (3, 1), (4, 2), (5, 1), (6, 5)]
    av.logging.set_level(av.logging.WARNING)
    try:
        with caplog.at_level(logging.WARNING):
            held = write(tmp_path / "held.mp4", steps, preset)
            once = write(tmp_path / "once.mp4", [(step, 1) for step, _ in steps], preset, skips=False)
    finally:
        av.logging.set_level(None)
    assert not caplog.records, "the decoder found nothing to complain of"
    wanted = [frame for frame, (_, repeat) in zip(once, steps, strict=True) for _ in range(repeat)]
    assert len(held) == len(wanted) == 53
    assert all((a == b).all() for a, b in zip(held, wanted, strict=True))
    assert not (held[0] == held[-1]).all()


def test_a_hold_costs_nearly_no_bytes(tmp_path: Path) -> None:
    sizes = []
    for repeat in (1, 301):
        write(tmp_path / "a.mp4", [(0, 1), (1, repeat)])
        sizes.append((tmp_path / "a.mp4").stat().st_size)
    assert (sizes[1] - sizes[0]) / 300 < 40


def test_the_rate_stays_constant(tmp_path: Path) -> None:
    write(tmp_path / "a.mp4", [(0, 200), (1, 1), (2, 77)])
    probe = probe_film(tmp_path / "a.mp4")
    assert (probe.frames, probe.fps, probe.gap_free) == (278, Fraction(15), True)
    with av.open(tmp_path / "a.mp4") as film:
        stream = film.streams.video[0]
        assert stream.average_rate == stream.base_rate == 15
        assert stream.frames == 278


EVERY = KEYFRAME_EVERY_S * TINY.fps


def keyframes(path: Path) -> dict[int, bytes]:
    """The keyframes of a film by their place in it."""
    with av.open(path) as film:
        packets = [packet for packet in film.demux(video=0) if packet.size]
        return {n: bytes(packet) for n, packet in enumerate(packets) if packet.is_keyframe}


def has_right_count(path: Path) -> bool:
    """Whether ``frame_num`` counts every picture from the keyframe before it on; players forgive much."""
    with av.open(path) as film:
        plain = BitStreamFilterContext("h264_mp4toannexb", film.streams.video[0])
        packets = [bytes(one) for packet in film.demux(video=0) for one in plain.filter(packet) if one.size]
    length = SkipWriter.of(packets[0]).frame_num_bits
    found: list[int] = []
    wanted: list[int] = []
    for unit in (unit for packet in packets for unit in _units(packet) if unit[0] & 31 in (SLICE, IDR)):
        head = Bits(_unescaped(unit[1:20]))
        head.ue(), head.ue(), head.ue()  # first_mb_in_slice, slice_type, pic_parameter_set_id
        found.append(head.u(length))
        wanted.append(0 if unit[0] & 31 == IDR else (wanted[-1] + 1) % (1 << length))
    return len(found) == len(packets) and found == wanted


def test_the_count_goes_round_and_starts_again_at_keyframes(tmp_path: Path) -> None:
    """``frame_num`` has few bits, and is 0 at every keyframe; keyframes come with what moves."""
    steps = [(step, 7) for step in range(3 * EVERY // 7)]
    held = write(tmp_path / "held.mp4", steps)
    assert has_right_count(tmp_path / "held.mp4")
    keys = list(keyframes(tmp_path / "held.mp4"))
    assert keys[0] == 0
    assert all(key % 7 == 0 for key in keys)
    assert all(0 <= EVERY - gap < 7 for gap in np.diff(keys))
    for (step, _), frame in zip(steps, held[::7], strict=True):
        assert np.abs(frame[110:130, 40:-40].astype(int) - moved(step)[110:130, 40:-40, :3]).mean() < 3


@pytest.mark.parametrize("writes", [1, 3])
def test_a_long_hold_has_keyframes_of_which_nothing_is_seen(tmp_path: Path, writes: int) -> None:
    """A picture that is encoded anew comes out a little sharper or softer: what stands still would pulse."""
    film, hold = tmp_path / "a.mp4", 15 * TINY.fps
    before, after = [(0, 1), (1, 40)], [(3, 1), (4, 10)]
    held = write(film, [*before, *[(2, hold // writes)] * writes, *after])
    keys = keyframes(film)
    starts = [41 + n * EVERY for n in range(4)]
    assert list(keys) == [0, *starts]
    assert len({keys[start] for start in starts}) == 1
    assert all((frame == held[41]).all() for frame in held[41 : 41 + hold])
    assert has_right_count(film)
    every = write(tmp_path / "b.mp4", [*before, (2, hold), *after], skips=False)
    assert np.abs(held[-1].astype(int) - every[-1]).mean() < 1
    assert probe_film(film).keyframes_apart_s == KEYFRAME_EVERY_S


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 2 * EVERY)), min_size=1, max_size=5))
def test_no_way_to_a_keyframe_is_long(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    for skips in (True, False):
        film = tmp_path_factory.mktemp("ways") / "a.mp4"
        frames = len(write(film, steps, skips=skips))
        ways = np.diff([*keyframes(film), frames])
        assert frames == sum(repeat for _, repeat in steps)
        assert ways.max() <= EVERY
        assert probe_film(film).keyframes_apart_s == pytest.approx(ways.max() / TINY.fps)


def test_a_seek_into_a_hold_finds_it(tmp_path: Path) -> None:
    from film.media.read import decode_frame

    held = write(tmp_path / "a.mp4", [(0, 5), (1, 1), (2, 100), (3, 9)])
    for at in (3, 6, 50, 65, 66, 67, 105, 106, 114):
        assert (decode_frame(tmp_path / "a.mp4", at) == held[at]).all()


def test_segments_with_holds_join(tmp_path: Path) -> None:
    apart = [*write(tmp_path / "a.mp4", [(0, 1), (1, 30)]), *write(tmp_path / "b.mp4", [(2, 20), (3, 1)])]
    join_film([tmp_path / "a.mp4", tmp_path / "b.mp4"], tmp_path / "f.mp4", key="", title="", frames=52)
    joined = list(decode_frames(tmp_path / "f.mp4"))
    assert all((a == b).all() for a, b in zip(joined, apart, strict=True))
    assert probe_film(tmp_path / "f.mp4").faults() == ()


@pytest.mark.parametrize(
    "other",
    [
        {"coder": "1"},
        {"bf": "2"},
        {"refs": "3", "preset": "medium"},
        {"x264-params": ""},
        {"preset": "superfast", "weightp": "1", "coder": "0"},
    ],
    ids=str,
)
def test_a_stream_of_another_kind_is_encoded_picture_by_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, str]
) -> None:
    from film.preset import ENCODER

    monkeypatch.setattr("film.preset.ENCODER", tuple((dict(ENCODER) | other).items()))
    steps = [(0, 3), (1, 20), (2, 1)]
    frames = write(tmp_path / "a.mp4", steps)
    assert len(frames) == 24
    assert probe_film(tmp_path / "a.mp4").gap_free
    flat = [step for step, repeat in steps for _ in range(repeat)]
    for step, frame in zip(flat, frames, strict=True):
        assert np.abs(frame.astype(int) - moved(step)[..., :3]).mean() < 4


@given(st.binary(max_size=64).map(lambda data: data.replace(b"\1", b"\0") + b"\x80"))
def test_start_codes_never_appear_inside(data: bytes) -> None:
    safe = _escaped(data)
    assert _unescaped(safe) == data
    assert not any(code in safe for code in (b"\0\0\0", b"\0\0\1", b"\0\0\2"))


@given(st.lists(st.integers(0, 70000), min_size=1, max_size=20))
def test_numbers_are_read_as_written(numbers: list[int]) -> None:
    bits = Bits()
    for number in numbers:
        bits.put_ue(number).put(number % 8, 3)
    again = Bits(bits.to_bytes())
    for number in numbers:
        assert (again.ue(), again.u(3)) == (number, number % 8)


@pytest.mark.parametrize("data", [b"", b"\0\0\0\1", b"\0\0\0\1\x67", b"\0\0\0\1\x67\x64\0\x28\0\0\0\1\x68"])
def test_parameters_cut_short_are_refused(data: bytes) -> None:
    with pytest.raises(UnknownStreamError):
        SkipWriter.of(data)


@pytest.mark.parametrize(
    "packet", [b"", b"\0\0\0\1\x06\x05", b"\0\0\0\1\x65\x88\x84", b"\0\0\0\1\x41\x40\x20"]
)
def test_a_packet_that_is_no_whole_p_picture_is_refused(packet: bytes) -> None:
    with pytest.raises(UnknownStreamError):
        SkipWriter(4, 240, 1, True).renumbered(packet, 1)
