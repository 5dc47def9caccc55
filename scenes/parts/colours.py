"""Colour arithmetic: mixing on the ground, contrast, and the heat of a weight."""

from __future__ import annotations

from scenes.theme import Theme

CONTRAST_LEAST = 4.5
"""WCAG 2.1 level AA for text."""


def rgb(color: str) -> tuple[float, float, float]:
    """A hex colour as red, green, blue from 0 to 1."""
    value = color.lstrip("#")
    return (int(value[0:2], 16) / 255, int(value[2:4], 16) / 255, int(value[4:6], 16) / 255)


def mix(a: str, b: str, share: float) -> str:
    """The colour ``share`` of the way from a to b, in sRGB."""
    parts = (round(255 * (x + (y - x) * share)) for x, y in zip(rgb(a), rgb(b), strict=True))
    return "#" + "".join(f"{part:02X}" for part in parts)


def luminance(color: str) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.1)."""

    def linear(c: float) -> float:
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(c) for c in rgb(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def ink_on(ground: str, theme: Theme) -> str:
    """The ink that can be read on a colour: the theme's own where it reaches 4.5:1, else black or white."""
    for ink in (theme.ink, theme.ground):
        if contrast(ink, ground) >= CONTRAST_LEAST:
            return ink
    return max(("#FFFFFF", "#000000"), key=lambda ink: contrast(ink, ground))


def heat(weight: float, theme: Theme) -> str:
    """The fill of a cell that holds a weight: one hue growing stronger, on a scale that is always 0 to 1."""
    share = min(max(weight, 0.0), 1.0)
    return mix(theme.ground, theme.weight, theme.faint + (0.94 - theme.faint) * share)


def faint(color: str, theme: Theme) -> str:
    """The quiet fill of an ordinary cell of a hue."""
    return mix(theme.ground, color, theme.faint)
