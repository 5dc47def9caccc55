"""Subtitles, chapters and a voice inside the MP4, read back from the file."""

from __future__ import annotations

import wave
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from film.errors import MediaError, RequestError
from film.join.captions import Cue
from film.join.once import join_once
from film.join.packets import join_film
from film.join.side_streams import STYLE, encode_sound, mix_clips
from film.join.tracks import Chapter, Clip, Subtitles, Tracks
from film.media.mp4_boxes import disable_subtitles
from film.media.probe import FilmProbe
from film.media.read import decode_frames, probe_film
from film.media.sound import RATE_HZ, read_sound, sound_length_s
from film.prove.films import known_probe
from film.store.digests import digest_file
from tests.film.kit import TINY
from tests.film.test_media import COLOURS, write_segment

FPS = TINY.fps
TEXT = "小猫 <b>x</b> {\\b1}\n& 0.33"


def write_tone(path: Path, seconds: float, rate_hz: int = 16_000) -> Path:
    """A tone of 440 Hz."""
    times = np.arange(round(seconds * rate_hz)) / rate_hz
    samples = (20_000 * np.sin(2 * np.pi * 440 * times)).astype("<i2")
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate_hz)
        out.writeframes(samples.tobytes())
    return path


def write_mp3(path: Path, seconds: float) -> Path:
    """The same as MP3."""
    with av.open(path, "w") as out:
        stream = out.add_stream("libmp3lame", rate=44_100, layout="mono")
        times = np.arange(round(seconds * 44_100)) / 44_100
        wave_form = (0.5 * np.sin(2 * np.pi * 440 * times)).astype(np.float32)
        for start in range(0, len(wave_form), 1152):
            frame = av.AudioFrame.from_ndarray(
                wave_form[None, start : start + 1152], format="fltp", layout="mono"
            )
            frame.sample_rate, frame.pts = 44_100, start
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def tracks(clips: tuple[Clip, ...] = ()) -> Tracks:
    cues = (Cue(0, 20, (TEXT,)), Cue(20, 60, ("二",)))
    return Tracks(
        subtitles=(Subtitles("zh", cues), Subtitles("en", (Cue(0, 60, ("one",)),))),
        chapters=(Chapter(0, 20, "一 <b>"), Chapter(20, 60, "two")),
        clips=clips,
    )


@pytest.fixture
def segments(tmp_path: Path) -> list[Path]:
    return [write_segment(tmp_path / f"{n}.mp4", COLOURS * 5) for n in "ab"]


def join(segments: list[Path], film: Path, beside: Tracks) -> Path:
    join_film(segments, film, key="k", title="t", frames=60, tracks=beside)
    return film


def test_subtitles_and_chapters_are_in_the_film(tmp_path: Path, segments: list[Path]) -> None:
    probe: Any = probe_film(join(segments, tmp_path / "film.mp4", tracks()))
    assert probe.faults() == ()
    assert probe.frames == 60
    assert probe.subtitles == (
        ("zho", ((0.0, TEXT), (pytest.approx(20 / FPS), "二"))),
        ("eng", ((0.0, "one"),)),
    )
    assert probe.chapters == ((0.0, "一 <b>"), (pytest.approx(20 / FPS, abs=0.001), "two"))
    assert probe.sound_s == 0


def test_the_picture_is_what_it_was_without_them(tmp_path: Path, segments: list[Path]) -> None:
    bare = tmp_path / "bare.mp4"
    join_film(segments, bare, key="k", title="t", frames=60)
    voice = Clip(15, write_tone(tmp_path / "v.wav", 1.0), "d")
    full = join(segments, tmp_path / "full.mp4", tracks((voice,)))
    for one, two in zip(decode_frames(bare), decode_frames(full), strict=True):
        assert (one == two).all()
    assert probe_film(full).gap_free


def test_a_probe_is_kept_for_as_long_as_the_bytes_are_the_same(
    tmp_path: Path, segments: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = Clip(15, write_tone(tmp_path / "v.wav", 1.0), "d")
    film = join(segments, tmp_path / "film.mp4", tracks((voice,)))
    found = known_probe(film, tmp_path)
    assert found == probe_film(film)
    read: list[Path] = []

    def probe(path: Path) -> FilmProbe:
        read.append(path)
        return probe_film(path)

    monkeypatch.setattr("film.media.read.probe_film", probe)
    assert known_probe(film, tmp_path) == found
    assert not read, "the same bytes are not read again"
    copy = film.rename(tmp_path / "moved.mp4")
    assert known_probe(copy, tmp_path) == found
    assert not read, "wherever they are"
    [kept] = (tmp_path / "probes").glob("*.json")
    kept.write_text(
        kept.read_text(encoding="utf-8").replace('"frames": 60', '"frames": 61'), encoding="utf-8"
    )
    assert known_probe(copy, tmp_path).frames == 60, "what was meddled with is not believed"
    assert read == [copy]
    join_film(segments[:1], copy, key="k", title="t", frames=30)
    assert known_probe(copy, tmp_path).frames == 30
    with pytest.raises(MediaError, match=r"cannot read .*film\.mp4"):
        known_probe(film, tmp_path)


def test_the_same_film_is_the_same_bytes(tmp_path: Path, segments: list[Path]) -> None:
    beside = tracks((Clip(15, write_tone(tmp_path / "v.wav", 1.0), "d"),))
    one, two = (join(segments, tmp_path / f"{n}.mp4", beside) for n in ("one", "two"))
    assert digest_file(one) == digest_file(two)


def test_a_seal_speaks_of_all_that_the_film_carries(tmp_path: Path, segments: list[Path]) -> None:
    voice = write_tone(tmp_path / "v.wav", 1.0)
    first = tracks((Clip(15, voice, "one take"),))

    def join_sealed(beside: Tracks) -> bool:
        film, seals = tmp_path / "film.mp4", tmp_path / "seals"
        return join_once(segments, film, key="k", title="t", frames=60, tracks=beside, seals=seals)

    assert join_sealed(first)
    assert not join_sealed(first)
    moved = tmp_path / "moved.wav"
    voice.rename(moved)
    assert not join_sealed(tracks((Clip(15, moved, "one take"),))), "sealed: no sound is read"
    assert join_sealed(replace(first, clips=(Clip(30, moved, "one take"),)))
    write_tone(moved, 0.5)
    assert join_sealed(replace(first, clips=(Clip(30, moved, "another take"),)))
    others = (Subtitles("zh", (Cue(0, 60, ("另一句",)),)), *first.subtitles[1:])
    assert join_sealed(Tracks(subtitles=others, chapters=first.chapters))
    assert join_sealed(Tracks(subtitles=others, chapters=(Chapter(0, 60, "one"),)))
    probe = probe_film(tmp_path / "film.mp4")
    assert probe.subtitles[0] == ("zho", ((0.0, "另一句"),))
    assert [title for _, title in probe.chapters] == ["one"]
    assert probe.sound_s == 0


def test_no_player_shows_subtitles_unasked(tmp_path: Path, segments: list[Path]) -> None:
    """The captions are in the picture already; a muxer marks the first subtitle track as on."""
    with av.open(join(segments, tmp_path / "film.mp4", tracks())) as film:
        assert [stream.disposition & av.stream.Disposition.default for stream in film.streams.subtitles] == [
            0,
            0,
        ]
        assert film.streams.video[0].disposition & av.stream.Disposition.default


def test_a_marked_track_is_found_and_unmarked_once(tmp_path: Path) -> None:
    path = tmp_path / "marked.mp4"
    with av.open(path, "w") as out:
        stream = out.add_stream("mov_text")
        stream.codec_context.subtitle_header = STYLE
        stream.time_base = stream.codec_context.time_base = Fraction(1, FPS)
        packet = av.Packet(b"\x00\x01a")
        packet.stream, packet.time_base = stream, Fraction(1, FPS)
        packet.pts = packet.dts = 0
        packet.duration = 10
        out.mux(packet)
    before = path.stat().st_size
    assert disable_subtitles(path) == 1
    assert disable_subtitles(path) == 0
    assert path.stat().st_size == before


def loudness(film: Path) -> np.ndarray:
    """How loud each frame of the film is, from its decoded sound."""
    samples = read_sound(film).astype(float)
    per_frame = RATE_HZ // FPS
    whole = samples[: len(samples) // per_frame * per_frame].reshape(-1, per_frame)
    return np.asarray(np.sqrt((whole**2).mean(axis=1)))


def test_a_voice_is_heard_in_its_frames_and_nowhere_else(tmp_path: Path, segments: list[Path]) -> None:
    clips = (
        Clip(15, write_tone(tmp_path / "v.wav", 1.0), "d"),
        Clip(45, write_mp3(tmp_path / "w.mp3", 0.5), "e"),
    )
    film = join(segments, tmp_path / "film.mp4", tracks(clips))
    probe = probe_film(film)
    assert probe.faults() == ()
    assert probe.sound_s == pytest.approx(60 / FPS, abs=0.05)
    loud = loudness(film)
    assert (loud[16:29] > 5000).all()
    assert (loud[:14] < 500).all()
    assert (loud[31:44] < 500).all()
    assert (loud[47:51] > 5000).all()


def test_a_voice_that_outlasts_the_film_is_cut(tmp_path: Path) -> None:
    clip = Clip(10, write_tone(tmp_path / "v.wav", 5.0), "d")
    assert len(mix_clips([clip], 30, FPS)) == 2 * RATE_HZ


def test_lengths_are_counted_in_samples(tmp_path: Path) -> None:
    assert sound_length_s(write_tone(tmp_path / "v.wav", 1.25)) == pytest.approx(1.25, abs=0.001)
    assert sound_length_s(write_mp3(tmp_path / "v.mp3", 1.25)) == pytest.approx(1.25, abs=0.06)


@pytest.mark.parametrize("data", [b"", b"RIFF not a recording", bytes(3000)])
def test_what_is_no_recording_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "dot.wav"
    path.write_bytes(data)
    with pytest.raises(RequestError, match=r"dot\.wav.*WAV or MP3"):
        sound_length_s(path)


def test_a_film_is_no_voice(segments: list[Path]) -> None:
    with pytest.raises(RequestError, match="holds no sound"):
        read_sound(segments[0])


def test_silence_is_encoded_whole() -> None:
    with av.open("nothing", "w", format="null") as out:
        stream = out.add_stream("aac", rate=RATE_HZ, layout="mono")
        assert isinstance(stream, av.AudioStream)
        packets = list(encode_sound(np.zeros(10_000, np.int16), stream))
    assert sum(packet.duration or 0 for packet in packets) >= 10_000
