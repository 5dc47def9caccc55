"""When animations begin: their run times on the grid that all frame rates share, and who starts when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from manim import Animation, AnimationGroup, Mobject
from manim.animation.animation import prepare_animation

from scenes.theme import TICK_S, on_grid


def animated(mobject: Mobject, **kwargs: Any) -> Any:
    """``mobject.animate``, which manim types as the mobject itself; ``kwargs`` are those of the animation."""
    return cast("Any", mobject).animate(**kwargs)


def timed(animations: Iterable[Any], run_time: float | None) -> tuple[list[Animation], float]:
    """Animations ready to be played together, and how many seconds that takes, on the grid.

    Parameters
    ----------
    animations
        As given to ``play``: ``.animate`` builders too.
    run_time
        What all of them are to take; without it, they keep their own and the longest counts.
    """
    ready = [prepare_animation(animation) for animation in animations]
    if not ready:
        return [], 0.0
    longest = max(animation.run_time for animation in ready)
    wanted = on_grid(run_time if run_time is not None else longest)
    if run_time is not None:
        for animation in ready:
            animation.run_time = wanted
    elif abs(longest - wanted) > 1e-9:
        for animation in ready:
            animation.run_time *= wanted / longest
    return ready, wanted


def beginnings(animations: Iterable[Animation]) -> Iterator[tuple[Mobject, float]]:
    """What each animation changes, and the seconds from the start of the play until it begins to.

    Of a group it is told for every member: with a lag they begin one after another. Seconds are those of the
    first tick of the grid by which it has begun.
    """
    for animation in animations:
        yield from _beginnings(animation, 0.0, animation.run_time)


def _beginnings(animation: Animation, at_s: float, lasts_s: float) -> Iterator[tuple[Mobject, float]]:
    if not isinstance(animation, AnimationGroup):
        yield cast("Mobject", animation.mobject), at_s
        replacing = getattr(animation, "target_mobject", None)
        if replacing is not None:
            yield replacing, at_s
        return
    whole = animation.max_end_time
    for member, start, end in animation.anims_with_timings:
        begins_s = at_s + (_reached(animation, start / whole, lasts_s) if whole else 0.0)
        yield from _beginnings(member, begins_s, lasts_s * (end - start) / whole if whole else 0.0)


def _reached(group: AnimationGroup, share: float, lasts_s: float) -> float:
    """Seconds, in ticks, after which a group has gone through a share of its members' time."""
    ticks = round(lasts_s / TICK_S)
    passed = (k for k in range(ticks) if group.rate_func(k / ticks) >= share - 1e-9)
    return next(passed, ticks) * TICK_S
