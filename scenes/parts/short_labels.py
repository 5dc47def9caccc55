"""Labels where room is scarce: as large as fits, and those too long even then end in an ellipsis."""

from __future__ import annotations

from collections.abc import Sequence

from attn.characters import clusters
from attn.trace import Reading
from scenes.layout import Box, LayoutError, point
from scenes.parts.text import visible, width_em
from scenes.parts.tokens import TokenLabel, fit_labels, shortened
from scenes.theme import TYPE


def short_labels(
    names: Sequence[Reading], places: Sequence[Box], color: str, *, most_px: float, align: str = "left"
) -> list[TokenLabel]:
    """One label a place; ``align`` is ``left`` or ``center``.

    Raises
    ------
    LayoutError
        If a place holds not even one character and the ellipsis.
    """
    try:
        return fit_labels(names, places, color, most_px=most_px, align=align)[0]
    except LayoutError:
        size, labels = TYPE.smallest, []
    for name, place in zip(names, places, strict=True):
        text = visible(str(name.value))
        while width_em(text) * size > place.width:
            if len(clusters(text)) <= 2:
                raise LayoutError(f"the token {name.value!r} does not fit here even cut short")
            text = shortened(text)
        label = TokenLabel(name, [text], size, color)
        if align == "left":
            label.shift(point(place.left, place.y) - label.get_left())
        else:
            label.shift(place.center - label.get_center())
        labels.append(label.keep_to(place))
    return labels
