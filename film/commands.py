"""What all commands share: their group, their options, and what the lesson can be exported as."""

from __future__ import annotations

import difflib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from film.errors import RequestError
from film.setup import main as set_up

FORMATS = ("pptx", "pdf", "html", "gif", "manim-slides", "worksheet")
"""What the lesson can be exported as."""
NEEDS_FILMS = frozenset(FORMATS) - {"worksheet"}
"""Those made from finished films; a worksheet takes the numbers alone."""


@click.command()
def setup() -> None:
    """Install what is missing into .venv; done in an instant when nothing is."""
    sys.exit(set_up())


class LessonCommands(click.Group):
    """Commands, of which ``film`` needs no name; a mistyped one is answered with the nearest."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.add_command(setup)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``film`` in front of bare options and lesson files."""
        is_bare = not args or (args[0].startswith("-") and args[0] not in ("--help", "-h"))
        if is_bare or args[0].endswith(".toml"):
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


def shared_options(call: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all commands have; they arrive as keyword arguments."""
    cores = os.cpu_count() or 1
    for option in reversed(
        (
            click.option("--lesson", type=click.Path(path_type=Path), help="Values; default lesson.toml."),
            click.option("--set", "sets", multiple=True, help="Change one value: example.v[2][0]=3"),
            click.option("--lang", type=click.Choice(["zh", "en"]), help="Default: the lesson's."),
            click.option(
                "--theme", type=click.Choice(["dark", "light"]), help="Default: what the lesson says."
            ),
            click.option("--preset", help="preview, draft, lecture (default), 4k, or 1280x720@30."),
            click.option(
                "--out", type=click.Path(path_type=Path), default=Path("out"), help="Folder of the films."
            ),
            click.option("--jobs", type=click.IntRange(1, 64), default=cores, help="Stages drawn at once."),
            click.option("--debug", is_flag=True, help="Show the traceback of an error."),
        )
    ):
        call = option(call)
    return call


def run_commands(group: click.Group, arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; errors are one line on stderr."""
    given = list(arguments)
    try:
        code = group.main(given, obj=given, prog_name="render.py", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        _complain(error.format_message(), error, given)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort) as error:
        _complain("stopped", error, given)
        return 1
    except SyntaxError as error:
        _complain(f"{error.filename}, line {error.lineno}: {error.msg}", error, given)
        return 1
    except ImportError as error:
        _complain(f"{error}; render.py doctor says what is missing and what installs it", error, given)
        return 2
    except Exception as error:
        code = getattr(error, "exit_code", None)
        _complain(str(error) if code else _surprise(error), error, given)
        return code or 1


def _surprise(error: Exception) -> str:
    """What to say of an error that nobody has put into words."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        file = error.filename2 or error.filename  # of two, the one that was to be written
        return f"cannot use {file}: {error.strerror}; see that nothing has it open and that the disk has room"
    return f"unexpected {type(error).__name__}: {error}; --debug shows where"


def _complain(said: str, error: BaseException, given: Sequence[str]) -> None:
    click.echo(f"error: {said}", err=True)
    if "--debug" in given:
        click.echo(getattr(error, "details", "") or "".join(traceback.format_exception(error)), err=True)
