"""Segments, joined films, and what is read back from them."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from film.draw.encode import SegmentEncoder
from film.errors import MediaError, MixedMediaError
from film.join.once import join_once
from film.join.packets import join_film
from film.join.tracks import Tracks
from film.media.mp4_boxes import is_index_in_front
from film.media.read import decode_frame, decode_frames, probe_film
from film.preset import Preset
from tests.film.kit import TINY, picture

COLOURS = ((15, 18, 24), (102, 171, 237), (248, 185, 86), (74, 227, 196), (252, 90, 184), (251, 250, 247))


def write_segment(path: Path, colours: Sequence[tuple[int, int, int]], preset: Preset = TINY) -> Path:
    with SegmentEncoder(path, preset) as encoder:
        for colour in colours:
            encoder.write(picture(preset, colour))
    return path


def test_a_film_is_what_every_player_shows(tmp_path: Path) -> None:
    segments = [write_segment(tmp_path / "a.mp4", COLOURS), write_segment(tmp_path / "b.mp4", COLOURS[:1])]
    film = tmp_path / "我的 课件" / "片 1.mp4"
    assert join_film(segments, film, key="k1", title="题", frames=7)
    probe = probe_film(film)
    assert probe.faults() == ()
    assert (probe.codec, probe.profile, probe.pix_fmt) == ("h264", "High", "yuv420p")
    assert (probe.width_px, probe.height_px, probe.fps) == (320, 180, Fraction(15))
    assert (probe.frames, probe.key) == (7, "k1")
    assert probe.duration_s == pytest.approx(7 / 15)
    assert [path.name for path in film.parent.iterdir()] == [film.name], "no temporary file is left"


def test_colours_survive(tmp_path: Path) -> None:
    """An untagged film, or one converted by the matrix of standard definition, shifts greens and reds."""
    film = tmp_path / "film.mp4"
    join_film([write_segment(tmp_path / "a.mp4", COLOURS)], film, key="", title="", frames=len(COLOURS))
    for colour, frame in zip(COLOURS, decode_frames(film), strict=True):
        assert np.abs(frame.astype(int) - colour).max() <= 3, colour


def test_joining_keeps_every_frame_in_order(tmp_path: Path) -> None:
    """Pieces of one frame up to a hundred; the times must run on without a gap or a repeat."""
    counts = (1, 100, 2, 1, 37)
    segments = [
        write_segment(tmp_path / f"{n}.mp4", [COLOURS[(n + k) % 6] for k in range(count)])
        for n, count in enumerate(counts)
    ]
    film = tmp_path / "film.mp4"
    join_film(segments, film, key="", title="", frames=sum(counts))
    joined = list(decode_frames(film))
    apart = [frame for segment in segments for frame in decode_frames(segment)]
    assert len(joined) == len(apart) == sum(counts)
    assert all((a == b).all() for a, b in zip(joined, apart, strict=True))
    assert probe_film(film).gap_free
    assert probe_film(film).duration_s == pytest.approx(sum(counts) / 15, abs=1 / 15)


def test_one_frame_can_be_fetched(tmp_path: Path) -> None:
    film = write_segment(tmp_path / "a.mp4", [COLOURS[n % 6] for n in range(80)])
    everything = list(decode_frames(film))
    for index in (0, 1, 29, 30, 31, 79):
        assert (decode_frame(film, index) == everything[index]).all()
    for index in (80, -1):
        with pytest.raises(MediaError, match=f"no frame {index}"):
            decode_frame(film, index)


def test_a_repeated_picture_is_one_picture(tmp_path: Path) -> None:
    with SegmentEncoder(tmp_path / "hold.mp4", TINY) as encoder:
        encoder.write(picture(TINY, COLOURS[1]), repeat=40)
    frames = list(decode_frames(tmp_path / "hold.mp4"))
    assert len(frames) == 40
    assert np.abs(frames[-1].astype(int) - frames[0]).max() <= 1


def test_the_same_frames_are_the_same_bytes(tmp_path: Path) -> None:
    one, two = (write_segment(tmp_path / f"{n}.mp4", COLOURS).read_bytes() for n in "ab")
    assert one == two


def test_joining_again_touches_nothing(tmp_path: Path) -> None:
    segments, film = [write_segment(tmp_path / "a.mp4", COLOURS)], tmp_path / "film.mp4"
    assert join_film(segments, film, key="k", title="t", frames=6)
    before = film.stat().st_mtime_ns
    assert not join_film(segments, film, key="k", title="t", frames=6)
    assert film.stat().st_mtime_ns == before
    assert join_film(segments, film, key="other", title="t", frames=6)


def test_a_film_that_is_sealed_is_not_joined_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segments, film = [write_segment(tmp_path / "a.mp4", COLOURS)], tmp_path / "film.mp4"

    def join() -> bool:
        beside, seals = Tracks(), tmp_path / "seals"
        return join_once(segments, film, key="k", title="t", frames=len(COLOURS), tracks=beside, seals=seals)

    assert join()
    whole = film.read_bytes()
    film.write_bytes(whole[:-1] + b"x")
    assert join(), "a film that was changed is joined again"
    assert film.read_bytes() == whole
    monkeypatch.setattr("film.join.packets._copy", lambda *given: pytest.fail("joined again"))
    assert not join()


@pytest.mark.parametrize(
    "other", [Preset("fast", 320, 180, 30), Preset("large", 640, 360, 15)], ids=lambda preset: preset.name
)
def test_mixed_segments_are_refused_and_the_old_film_stays(tmp_path: Path, other: Preset) -> None:
    """Joined by copying, a piece of another rate plays at the wrong speed, or freezes."""
    mine = write_segment(tmp_path / "a.mp4", COLOURS)
    theirs = write_segment(tmp_path / "b.mp4", COLOURS, other)
    film = tmp_path / "film.mp4"
    join_film([mine], film, key="", title="", frames=6)
    before = film.read_bytes()
    with pytest.raises(
        MixedMediaError, match=f"{other.width_px}×{other.height_px} at {other.fps} fps.*--fresh"
    ):
        join_film([mine, theirs], film, key="", title="", frames=12)
    assert film.read_bytes() == before


@pytest.mark.parametrize("spoil", ["cut", "zero", "gone"])
def test_a_damaged_segment_stops_the_join_and_the_old_film_stays(tmp_path: Path, spoil: str) -> None:
    segments = [write_segment(tmp_path / f"{n}.mp4", COLOURS * 5) for n in "ab"]
    film = tmp_path / "film.mp4"
    join_film(segments, film, key="", title="", frames=60)
    before, data = film.read_bytes(), segments[1].read_bytes()
    if spoil == "gone":
        segments[1].unlink()
    else:
        segments[1].write_bytes(data[: len(data) // 2] if spoil == "cut" else bytes(len(data)))
    with pytest.raises(MediaError):
        join_film(segments, film, key="", title="", frames=60)
    assert film.read_bytes() == before
    assert not list(tmp_path.glob(".*")), "no temporary file is left"


def test_a_lost_frame_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="6 frames of 7"):
        join_film(
            [write_segment(tmp_path / "a.mp4", COLOURS)], tmp_path / "f.mp4", key="", title="", frames=7
        )
    assert not (tmp_path / "f.mp4").exists()


def test_an_exception_leaves_no_segment(tmp_path: Path) -> None:
    def fail() -> None:
        with SegmentEncoder(tmp_path / "a.mp4", TINY) as encoder:
            encoder.write(picture(TINY, COLOURS[0]))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not list(tmp_path.iterdir())


@pytest.fixture
def small_disk() -> Iterator[None]:
    """Files of at most 40 kB, as if the disk were full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_is_said_in_one_sentence_and_leaves_nothing(tmp_path: Path, small_disk: None) -> None:
    """It used to end in a vague error and a stub of a file."""
    noise = np.random.default_rng(0).integers(0, 255, (180, 320, 4), np.uint8)

    def fill() -> None:
        with SegmentEncoder(tmp_path / "a.mp4", TINY) as encoder:
            encoder.write(noise, repeat=60)

    with pytest.raises(MediaError, match=r"cannot (write|finish) .*a\.mp4: File too large"):
        fill()
    assert not list(tmp_path.iterdir())


def test_a_full_disk_while_joining_keeps_the_old_film(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (180, 320, 4), np.uint8)
    film = tmp_path / "film.mp4"
    with SegmentEncoder(tmp_path / "a.mp4", TINY) as encoder:
        encoder.write(noise, repeat=10)
    join_film([tmp_path / "a.mp4"], film, key="old", title="", frames=10)
    before = film.read_bytes()
    request.getfixturevalue("small_disk")
    with pytest.raises(MediaError, match="film"):
        join_film([tmp_path / "a.mp4"], film, key="new", title="", frames=10)
    assert film.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"a.mp4", "film.mp4"}


def test_a_frame_of_the_wrong_shape_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError, match=r"\(180, 320, 4\)"),
        SegmentEncoder(tmp_path / "a.mp4", TINY) as encoder,
    ):
        encoder.write(picture(Preset("large", 640, 360, 15), COLOURS[0]))


def test_the_probe_sees_what_is_wrong(tmp_path: Path) -> None:
    """A film as other programs would write it: other pixels, no tags, few keyframes, index at the end."""
    path = tmp_path / "other.mp4"
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=15, options={"profile": "high444"})
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv444p"
        for _ in range(65):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture(TINY, COLOURS[0]), format="rgba")))
        container.mux(stream.encode(None))
    faults = " ".join(probe_film(path).faults())
    assert "yuv444p" in faults
    assert "BT.709" in faults
    assert "its keyframes are 4.3 s apart, more than 4" in faults
    assert "index" in faults
    assert not is_index_in_front(path)


@pytest.mark.parametrize("data", [b"", b"not a film at all", bytes(5000)])
def test_what_is_no_film_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.mp4"
    path.write_bytes(data)
    with pytest.raises(MediaError, match=r"x\.mp4"):
        probe_film(path)
