"""Check: one claim of the lesson, how far off it was found, and how far off it may be."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attn.claims import CLAIMS, Claim


@dataclass(frozen=True, slots=True)
class Check:
    """A claim held against a figure.

    Parameters
    ----------
    id
        Stable name, ``family.claim``.
    claim
        In words.
    measured
        How far off: a largest difference, or a count of cells that are wrong; None only where ``skipped``.
    tolerance
        How far off it may be.
    skipped, skipped_zh
        Why the claim does not apply to this lesson, in English and in Chinese, or ``""``.
    note
        What else was seen, such as where PyTorch's functions disagree among themselves.
    """

    id: str
    claim: Claim
    measured: float | None
    tolerance: float
    skipped: str = ""
    note: str = ""
    skipped_zh: str = ""

    @property
    def passed(self) -> bool:
        """True only with a figure, finite and within the tolerance; a skipped check has not passed."""
        return (
            not self.skipped
            and self.measured is not None
            and math.isfinite(self.measured)
            and self.measured <= self.tolerance
        )


def found(id_: str, measured: float, tolerance: float, note: str = "") -> Check:
    """The check of a claim by its id, with its figure."""
    return Check(id_, CLAIMS[id_], measured, tolerance, note=note)


def skip(id_: str, why: Claim) -> Check:
    """A check that has nothing to hold on to in this lesson."""
    return Check(id_, CLAIMS[id_], None, 0.0, skipped=why.en, skipped_zh=why.zh)
