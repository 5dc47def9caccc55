"""“Did you mean …?”: one hint, wherever a name is asked for that does not exist."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(asked: str, known: Iterable[str]) -> str | None:
    """The known name most like the one asked for, if one is like it at all."""
    import difflib  # some milliseconds that only a refusal needs

    found = difflib.get_close_matches(asked.lower(), list(known), n=1, cutoff=0.45)
    return found[0] if found else None


def did_you_mean(asked: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` for the end of a refusal, or ``""``."""
    near = nearest(asked, known)
    return f"; did you mean {near}?" if near else ""
