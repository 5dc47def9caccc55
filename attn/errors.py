"""What can be wrong with a lesson file, said in one sentence.

ValueError
└── LessonError    the teacher's file or override is not a lesson: exit code 2
"""

from __future__ import annotations


class LessonError(ValueError):
    """A refusal: where, what was given, what is allowed, and what to do.

    Parameters
    ----------
    file
        The file as it was named, or ``--set`` for an override.
    key
        Dotted key with its cell: ``example.q[1][0]``; ``""`` when the whole file is meant.
    given, allowed, remedy
        Clauses of the sentence, without capitals or full stops.
    more
        Further refusals of the same file; the first line of the message stands without them.
    """

    exit_code = 2

    def __init__(
        self,
        file: str,
        key: str,
        given: str,
        allowed: str,
        remedy: str,
        more: tuple[LessonError, ...] = (),
    ) -> None:
        super().__init__(file, key, given, allowed, remedy, more)
        self.file = file
        self.key = key
        self.given = given
        self.allowed = allowed
        self.remedy = remedy
        self.more = more

    @property
    def sentence(self) -> str:
        """The refusal in one line."""
        where = f"{self.file}: {self.key}" if self.key else self.file
        return f"{where} is {self.given}; allowed: {self.allowed}; {self.remedy}."

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"also {other.sentence}" for other in self.more)])
