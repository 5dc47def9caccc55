"""What can be asked for: commands, ``film`` if none is named, and what the lesson is exported as."""

from __future__ import annotations

import difflib

import click

from film.errors import RequestError

FORMATS = ("pptx", "pdf", "html", "gif", "manim-slides", "worksheet")
"""What the lesson can be exported as."""
NEEDS_FILMS = frozenset({"pptx", "pdf", "gif", "manim-slides"})
"""Those made from finished beats; ``html`` takes a folder, ``worksheet`` the numbers alone."""


class LessonCommands(click.Group):
    """Commands, of which ``film`` needs no name; a mistyped one is answered with the nearest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``film`` in front of bare options."""
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "-h")):
            args = ["film", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, or a refusal that names the nearest."""
        command = super().get_command(ctx, cmd_name)
        if command is None:
            near = difflib.get_close_matches(cmd_name, self.commands, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise RequestError(
                f"there is no command {cmd_name!r}; there are {', '.join(self.commands)}{hint}"
            )
        return command
