"""Stage: a manim scene that says, beat by beat, what it shows and where every number comes from."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from manim import FadeIn, FadeOut, Mobject, Scene, config

from attn.trace import Reading
from scenes.chrome import Header, Title, caption
from scenes.context import StageContext, default_context
from scenes.layout import LayoutError, units
from scenes.records import Beat, BeatListener, Language, Moment, Shown, Words
from scenes.sentences import FILE, Sentence, WordsError, of_beat, sentences_beside
from scenes.text.direction import isolated
from scenes.text.line import TextMob, line, parse
from scenes.text.number import Number
from scenes.text.paragraph import Paragraph
from scenes.text.template import Printed, spell_out
from scenes.theme import PACE, THEME_BY_NAME, TICK_S, TYPE, Theme, on_grid, reading_time_s, up_to_tick
from scenes.timing import timed
from scenes.witness import Witness


class Stage(Scene):
    """One stage of the lesson.

    A subclass gives ``title`` and ``term``, the quantities whose making it tells as ``makes``, and in
    ``construct`` plays its beats::

        class Score(Stage):
            title = Words(zh="点积打分", en="Scores")
            term = "score"

            def construct(self):
                with self.beat("dot", zh="…", en="…", note_zh="…", note_en="…"):
                    self.play(...)

    Parameters
    ----------
    context
        Numbers, look and place. Without one, as when ``manim`` renders the file by itself, the stage reads
        ``lesson.toml`` beside it.
    listener
        Told where beats begin and end.
    """

    title: ClassVar[Words]
    term: ClassVar[str] = ""
    makes: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        context: StageContext | None = None,
        listener: BeatListener | None = None,
        **kwargs: Any,
    ) -> None:
        context = context or default_context(type(self))
        self.context = context
        self.look: Theme = THEME_BY_NAME[context.theme]
        self.language: Language = context.language
        self.info = context.info
        self.listener = listener
        self.sentences = context.sentences or sentences_beside(Path(inspect.getfile(type(self))))
        self.beats: list[Beat] = []
        self.shown: list[Shown] = []
        self.clock_s = 0.0
        self.witness = Witness(context.info.id)
        self._readings: dict[tuple[str, tuple[int, ...]], Reading] = {}
        self._beat: str | None = None
        self._read_at_s = 0.0
        self._caption: Paragraph | None = None
        self._passing: list[Mobject] = []
        config.background_color = self.look.ground
        super().__init__(**kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Stage:
        """A part that remembers its stage is copied with the stage it stands on, not with another."""
        return self

    # ---- the only door to the numbers

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Every distinct reading made so far, in order of first use."""
        return tuple(self._readings.values())

    @property
    def moments(self) -> tuple[Moment, ...]:
        """When each number was first on the screen, in that order."""
        return self.witness.moments

    def read(self, name: str, *index: int) -> Reading:
        """Take one value out of the trace; that it was taken is recorded."""
        key = (name, index)
        if key not in self._readings:
            self._readings[key] = self.context.trace.read(name, *index)
        return self._readings[key]

    def size(self, name: str) -> int:
        """A size of the lesson as a whole number: ``self.size("tokens")``. Recorded like any reading."""
        return int(self.read(f"size.{name}").number)

    def value(self, name: str, *index: int) -> float:
        """The bare value of a reading, for lengths and colours that depend on it."""
        return self.read(name, *index).number

    def flag(self, name: str, *index: int) -> bool:
        """A yes or no of the trace."""
        return bool(self.read(name, *index).number)

    def table(self, name: str) -> list[list[Reading]]:
        """All readings of a quantity with two axes, row by row."""
        rows, columns = (int(self.value(f"{name}.shape", axis)) for axis in (0, 1))
        return [[self.read(name, i, j) for j in range(columns)] for i in range(rows)]

    def token(self, i: int) -> Reading:
        """Token i in the film's language."""
        return self.read(f"tokens.{self.language}", i)

    # ---- words and numbers on the screen

    def number(self, reading: Reading, size_px: float = TYPE.number, color: str | None = None) -> Number:
        """The mobject of a reading."""
        return Number(reading, size_px, color or self.look.ink)

    def text(
        self, template: str, size_px: float = TYPE.label, color: str | None = None, **readings: Reading
    ) -> TextMob:
        """One line of text; ``{name}`` prints a reading, ``^x`` ``_x`` ``√x`` are set as in a formula."""
        return line(template, size_px, color or self.look.ink, **readings)

    def words(
        self, zh: str, en: str, size_px: float = TYPE.label, color: str | None = None, **readings: Reading
    ) -> TextMob:
        """One line of text in the film's language."""
        return self.text(zh if self.language == "zh" else en, size_px, color, **readings)

    def fit_width(self, mobject: Any, width_px: float) -> Any:
        """Shrink something until it is no wider than so many pixels; the same thing."""
        width = units(width_px)
        if mobject.width > width:
            mobject.scale(width / mobject.width)
        return mobject

    # ---- beats

    @contextmanager
    def beat(
        self,
        name: str,
        say: str | None = None,
        *,
        zh: str = "",
        en: str = "",
        note_zh: str = "",
        note_en: str = "",
        **readings: Printed,
    ) -> Iterator[None]:
        """One sentence of the lesson with its animation.

        Everything that moves is inside a beat. The caption changes at its start; at its end the picture
        settles and is held until the caption has been read, and the voice of the beat has said what it says.

        Parameters
        ----------
        name
            Its id, unique in the stage.
        say
            Which variant of its sentence in ``words.toml`` is true; none where it has but one.
        zh, en
            The caption, in a stage that has no such file.
        note_zh, note_en
            What a teacher would say here, likewise.
        readings
            What ``{name}`` prints in the caption: a reading, several in a row, or words in both languages.
        """
        said = Sentence(zh, en, note_zh, note_en) if zh else self._sentence(name, say or "")
        if self._beat is not None:
            raise RuntimeError(f"the beat {name!r} begins inside the beat {self._beat!r}")
        if any(b.name == name for b in self.beats):
            raise RuntimeError(f"the stage {self.info.id} has two beats called {name!r}")
        words = Words(zh=self._filled(said.zh, "zh", readings), en=self._filled(said.en, "en", readings))
        start_s = self.clock_s
        self._beat = name
        reading_s = reading_time_s(words.of(self.language), self.language)
        self._read_at_s = start_s + max(reading_s, up_to_tick(self.context.voices_s.get(name, 0.0)))
        self.next_section(name)
        if self.listener is not None:
            self.listener.beat_started(name)
        try:
            self._change_caption(*spell_out(getattr(said, self.language), self.language, readings))
        except LayoutError as error:
            variant = f".{say}" if say else ""
            raise LayoutError(f"[{self.info.id}.{name}{variant}] {self.language}: {error}") from None
        yield
        hold_s = on_grid(max(self._read_at_s - self.clock_s, PACE.settle_s))
        self.wait(hold_s)
        beat = Beat(
            stage=self.info.id,
            name=name,
            caption=words,
            note=Words(zh=said.note_zh, en=said.note_en),
            start_s=start_s,
            end_s=self.clock_s,
            hold_s=hold_s,
            readings=len(self._readings),
        )
        shown = self.witness.shown(self.mobjects, name, self.clock_s, self._caption)
        self.beats.append(beat)
        self.shown.extend(shown)
        self._beat = None
        if self.listener is not None:
            self.listener.beat_ended(beat, shown)

    def play(self, *animations: Any, run_time: float | None = None, **kwargs: Any) -> None:
        """Play animations, their run times rounded to the grid that all frame rates share."""
        if self._beat is None:
            raise RuntimeError(f"the stage {self.info.id} moves outside a beat: put play() in a beat")
        ready, lasting_s = timed(animations, run_time)
        if not ready:
            return
        began_s = self.clock_s
        super().play(*ready, **kwargs)
        self.clock_s += lasting_s
        self.witness.follow(self.mobjects, ready, self._beat, began_s, self._caption)

    def wait(self, duration: float = 1.0, *args: Any, **kwargs: Any) -> None:
        """Hold the picture."""
        if self._beat is None:
            raise RuntimeError(f"the stage {self.info.id} waits outside a beat: put wait() in a beat")
        duration = on_grid(duration)
        kwargs.setdefault("frozen_frame", True)
        super().wait(duration, *args, **kwargs)  # goes through play, which counts the time

    def passing(self, *mobjects: Mobject) -> None:
        """What is shown in this beat only: it fades out once the caption of the next has come."""
        self._passing += mobjects

    def clear_after_reading(self, *leaving: Mobject) -> None:
        """Hold the picture until the caption has been read, then let these leave: the end of a chapter."""
        left_s = self._read_at_s - self.clock_s - PACE.step_s - PACE.settle_s
        if left_s > TICK_S / 2:
            self.wait(left_s)
        self.play(*map(FadeOut, leaving), run_time=PACE.step_s)

    def arena(self) -> list[Mobject]:
        """Everything on screen but header, title and caption: what leaves before another picture comes."""
        frame = [part for part in (self.header, self.header.title, self._caption) if part is not None]
        kept = {id(member) for part in frame for member in part.get_family()}
        return [m for m in self.mobjects if kept.isdisjoint(id(member) for member in m.get_family())]

    # ---- what frames every stage

    def setup(self) -> None:
        """Stand where the stage before ended: its title, its lit term, its tick."""
        super().setup()
        setattr(self.camera, "background_color", self.look.ground)  # noqa: B010 - two kinds of camera
        self.header = Header(self.context.previous, self.info.total, self.language, self.look)
        self.add(self.header)
        self._arrived = False

    def _sentence(self, beat: str, variant: str) -> Sentence:
        variants = of_beat(self.sentences, beat) or {}
        if variant not in variants:
            asked = f"{beat}.{variant}" if variant else beat
            raise WordsError(f"stage {self.info.id} has no sentence for [{asked}] in its {FILE}")
        return variants[variant]

    def _filled(self, template: str, language: Language, given: Mapping[str, Printed]) -> str:
        """A caption as plain text in one language, for subtitles: readings printed, markup dropped."""
        template, readings = spell_out(template, language, given)
        own = {
            name: self.read(f"tokens.{language}", *reading.index)
            if reading.name.startswith("tokens.")
            else reading
            for name, reading in readings.items()
        }
        spans = parse(template, own)
        texts = (isolated(span.text) if span.reading else span.text for span in spans)
        return "".join(("√" if span.root else "") + text for span, text in zip(spans, texts, strict=True))

    def _change_caption(self, template: str, readings: dict[str, Reading]) -> None:
        new = caption(parse(template, readings), self.look)
        changes: list[Any] = [FadeIn(new)]
        if self._caption is not None:
            changes.append(FadeOut(self._caption))
        if not self._arrived:
            changes += self._arrive()
        self._caption = new
        self.play(*changes, run_time=PACE.quick_s)
        leaving, self._passing = self._passing, []
        self.play(*map(FadeOut, leaving), run_time=PACE.quick_s)

    def _arrive(self) -> list[Any]:
        """The header of the stage before becomes this one's."""
        self._arrived = True
        header, title = self.header, Title(self.info, self.language, self.look)
        changes: list[Any] = [
            FadeOut(header.title),
            FadeIn(title),
            header.formula.animate.light(self.info.term),
            header.ticks.animate.light(self.info.number),
        ]
        header.remove(header.title)
        header.title = title
        return changes
