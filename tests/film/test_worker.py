"""Drawing one stage: every frame, the settled picture, and what is refused. Real renders, tiny ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from attn.trace import Trace
from film.draw.worker import draw_stage
from film.errors import StageError
from film.job import Job, Look, Mode, StageResult
from film.media.read import decode_frames
from film.preset import Preset
from tests.film.kit import TINY, TOY, write_stages

pytestmark = pytest.mark.render

Picture = npt.NDArray[np.uint8]
CODEC_LEVELS = 24
"""How far the average of 2×2 pixels of a decoded frame may be from the picture that was drawn, of 255."""


def draw(
    trace: Trace, folder: Path, stage: str, *, package: str = TOY, mode: Mode = "film", preset: Preset = TINY
) -> StageResult:
    folder.mkdir(parents=True)
    return draw_stage(Job(stage, package, trace, Look("zh", "dark", preset), mode, str(folder)))


def test_the_fonts_of_the_lesson_go_along_with_the_job(trace: Trace, tmp_path: Path) -> None:
    """A worker is a process of its own, perhaps on another machine: it knows only what the job says."""
    from scenes.text.fonts import named_fonts, use_fonts
    from scenes.theme import font_paths

    own = (font_paths()[-1],)
    try:
        draw_stage(Job("count", TOY, trace, Look("zh", "dark", TINY, own), "stills", str(tmp_path)))
        assert named_fonts() == own
        draw(trace, tmp_path / "next", "count", mode="stills")
        assert named_fonts() == ()
    finally:
        use_fonts([])


def still_of(path: Path) -> Picture:
    from PIL import Image

    with Image.open(path) as image:
        return np.asarray(image)


def gap(a: Picture, b: Picture) -> float:
    """Largest difference of two pictures, averaged over the 2×2 pixels that share a colour in a film."""

    def coarse(x: Picture) -> npt.NDArray[np.float64]:
        height, width = x.shape[0] // 2 * 2, x.shape[1] // 2 * 2
        blocks = x[:height, :width].astype(float).reshape(height // 2, 2, width // 2, 2, 3)
        return np.asarray(blocks.mean((1, 3)))

    return float(np.abs(coarse(a) - coarse(b)).max())


@pytest.mark.parametrize("preset", [TINY, Preset("quick", 320, 180, 30), Preset("quickest", 320, 180, 60)])
def test_the_last_frame_of_every_beat_is_the_finished_picture(
    trace: Trace, tmp_path: Path, preset: Preset
) -> None:
    """The last frame used to be the one before the end, so a paused film showed 0.89 where 1.00 was meant."""
    film = draw(trace, tmp_path / "film", "count", preset=preset)
    stills = draw(trace, tmp_path / "stills", "count", preset=preset, mode="stills")
    for segment, still in zip(film.pieces, stills.pieces, strict=True):
        frames = list(decode_frames(tmp_path / "film" / segment.file))
        assert len(frames) == segment.frames == still.frames
        picture = still_of(tmp_path / "stills" / still.file)
        assert picture.max() > 200, "a black picture would equal a black frame"
        assert gap(frames[-1], picture) < CODEC_LEVELS
        assert gap(frames[2], picture) > 3 * CODEC_LEVELS, "on the way there it was another picture"
    assert film.shown == stills.shown
    assert film.readings == stills.readings


def test_frames_are_the_time_the_beats_say(trace: Trace, tmp_path: Path) -> None:
    result = draw(trace, tmp_path / "film", "count")
    for beat, piece in zip(result.beats, result.pieces, strict=True):
        assert piece.frames == pytest.approx((beat.end_s - beat.start_s) * TINY.fps)


def test_all_rates_last_equally_long(trace: Trace, tmp_path: Path) -> None:
    lengths = {
        draw(trace, tmp_path / str(fps), "count", preset=Preset("x", 320, 180, fps)).frames / fps
        for fps in (15, 30, 60)
    }
    assert len(lengths) == 1


def test_a_hold_stands_still_and_a_move_does_not_repeat_itself(
    trace: Trace, tmp_path: Path, toys: Path
) -> None:
    body = """
    square = Square(side_length=1, fill_opacity=1).shift(3 * LEFT)
    with self.say("move"):
        self.add(square)
        self.play(square.animate.shift(6 * RIGHT), run_time=1, rate_func=linear)
    """
    package = write_stages(toys, "movers", {"s10_move": body})
    result = draw(trace, tmp_path / "film", "move", package=package)
    frames = list(decode_frames(tmp_path / "film" / result.pieces[0].file))
    hold = round(result.beats[0].hold_s * TINY.fps)
    seen = frames[-hold - TINY.fps :]
    centres = [float(np.nonzero(frame[60:120].mean((0, 2)) > 40)[0].mean()) for frame in seen]
    assert np.ptp(centres[-hold:]) < 0.6
    moving = [*centres[: TINY.fps], centres[-1]]  # the frame at t shows t: its end is the hold
    steps = np.diff(moving)
    assert (steps > 0.5).all(), "no frame twice"
    assert steps == pytest.approx(np.full(len(steps), steps.mean()), abs=1.0)


def test_what_is_shorter_than_a_frame_is_still_seen(trace: Trace, tmp_path: Path, toys: Path) -> None:
    body = """
    with self.say("blink"):
        self.play(FadeIn(Square()), run_time=0.001)
    """
    result = draw(
        trace, tmp_path / "film", "blink", package=write_stages(toys, "blinks", {"s10_blink": body})
    )
    assert result.pieces[0].frames > 1


def test_painting_order_is_kept_while_something_moves(trace: Trace, tmp_path: Path, toys: Path) -> None:
    """What does not move is drawn once an animation; a still thing that lies on top must stay on top."""
    body = """
    cover = Square(side_length=2, fill_opacity=1, fill_color=RED, stroke_width=0).set_z_index(5)
    below = Square(side_length=1, fill_opacity=1, fill_color=BLUE, stroke_width=0)
    self.add(cover)
    with self.say("under"):
        self.play(below.animate.shift(0.5 * RIGHT), run_time=1)
    """
    result = draw(
        trace, tmp_path / "film", "under", package=write_stages(toys, "orders", {"s10_under": body})
    )
    for frame in decode_frames(tmp_path / "film" / result.pieces[0].file):
        red, _, blue = frame[90, 160].astype(int)
        assert red > 180 > 120 > blue


def test_updaters_are_followed(trace: Trace, tmp_path: Path, toys: Path) -> None:
    body = """
    leader = Square(side_length=0.2).shift(3 * LEFT + 2 * UP)
    follower = Square(side_length=1, fill_opacity=1)
    follower.add_updater(lambda mobject: mobject.set_x(leader.get_x()))
    self.add(follower, leader)
    with self.say("follow"):
        self.play(leader.animate.shift(6 * RIGHT), run_time=1)
    """
    package = write_stages(toys, "followers", {"s10_follow": body})
    result = draw(trace, tmp_path / "film", "follow", package=package)
    frames = list(decode_frames(tmp_path / "film" / result.pieces[0].file))
    assert frames[0][85:95, 85:100].mean() > 100, "left at first"
    assert frames[-1][85:95, 222:236].mean() > 100, "right at last"
    assert frames[-1][85:95, 85:100].mean() < 60


def test_the_same_stage_twice_is_the_same_bytes(trace: Trace, tmp_path: Path) -> None:
    pieces = draw(trace, tmp_path / "a", "carry").pieces
    draw(trace, tmp_path / "b", "carry")
    for piece in pieces:
        assert (tmp_path / "a" / piece.file).read_bytes() == (tmp_path / "b" / piece.file).read_bytes()


def test_only_the_segments_are_left(trace: Trace, tmp_path: Path) -> None:
    """Manim's own media folder, its cache and its logs are not wanted."""
    result = draw(trace, tmp_path / "film", "count")
    assert sorted(p.name for p in (tmp_path / "film").iterdir()) == [piece.file for piece in result.pieces]


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("raises", 'with self.say("one"):\n    1 / 0', "in beat 'one': ZeroDivisionError"),
        ("outside", "self.play(FadeIn(Square()))", "outside a beat"),
        ("gone", 'with self.say("one"):\n    self.number(self.read("scores", 0, 0))', "did you mean score"),
        (
            "endless",
            'with self.say("one"):\n    self.wait(9, bool, frozen_frame=False)',
            "use a run time",
        ),
        (
            "twice",
            'with self.say("one"):\n    self.wait(1)\nwith self.say("one"):\n    self.wait(1)',
            "two beats",
        ),
        ("typo", "no python (", "SyntaxError"),
    ],
)
@pytest.mark.parametrize("mode", ["film", "stills"])
def test_a_failure_names_stage_and_beat_and_leaves_no_half_segment(
    trace: Trace, tmp_path: Path, toys: Path, mode: Mode, name: str, body: str, said: str
) -> None:
    package = write_stages(toys, f"bad_{name}_{mode}", {f"s10_{name}": body})
    with pytest.raises(StageError) as failure:
        draw(trace, tmp_path / "film", name, package=package, mode=mode)
    assert str(failure.value).startswith(f"stage {name} failed: ")
    assert said in str(failure.value)
    assert "\n" not in str(failure.value)
    assert f"s10_{name}.py" in failure.value.details
    for path in (tmp_path / "film").glob("*.mp4"):
        list(decode_frames(path))


def test_one_picture_by_itself_is_the_same_as_among_all(trace: Trace, tmp_path: Path) -> None:
    """A single picture is drawn by manim's own camera, which needs nothing loaded; the pen draws the rest."""
    folders = {"all": None, "one": frozenset({"dot"})}
    drawn = {}
    for name, only in folders.items():
        (tmp_path / name).mkdir()
        job = Job(
            "score", "scenes", trace, Look("zh", "dark", TINY), "stills", str(tmp_path / name), only=only
        )
        [piece] = [piece for piece in draw_stage(job).pieces if piece.beat == "dot"]
        drawn[name] = still_of(tmp_path / name / piece.file)
    assert np.array_equal(drawn["one"], drawn["all"])
    assert drawn["one"].max() > 200


def test_a_mistake_in_one_stage_is_none_in_the_next(trace: Trace, tmp_path: Path, toys: Path) -> None:
    bodies = {"s10_good": 'with self.say("one"):\n    self.wait(1)', "s20_bad": "no python ("}
    assert draw(trace, tmp_path / "f", "good", package=write_stages(toys, "mixed", bodies)).frames > 0


def test_a_worker_needs_no_torch_and_for_one_picture_no_pen(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(trace.to_json(), encoding="utf-8")
    program = f"""
import sys
from pathlib import Path
from attn.trace import Trace
from film.job import Job, Look
from film.draw.worker import draw_stage
from tests.film.kit import TINY, TOY
trace = Trace.from_json(Path({str(tmp_path / "trace.json")!r}).read_text(encoding="utf-8"))
Path({str(tmp_path / "out")!r}).mkdir()
only = frozenset({{"carry"}})
job = Job("carry", TOY, trace, Look("en", "light", TINY), "stills", {str(tmp_path / "out")!r}, only=only)
print(draw_stage(job).info.title.en, "torch" in sys.modules, "cairocffi" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.strip() == "Carrying False False", done.stderr
