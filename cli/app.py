"""The front door: the commands by name, each loaded when it is asked for, and how a run ends.

Exit codes: 0 done and proven, 1 a render or the proof failed, 2 asked wrongly.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import click

from attn.arithmetic import settle
from attn.hints import did_you_mean
from film.errors import RequestError
from film.jobs.process import forgive_console
from film.setup import main as set_up

HOMES = {
    "film": "cli.film",
    "export": "cli.export",
    "narrate": "cli.export",
    "check": "cli.inspect",
    "still": "cli.export",
    "sheet": "cli.export",
    "stages": "cli.inspect",
    "doctor": "cli.inspect",
    "setup": "cli.app",
}
"""Command → its module."""


class LessonCommands(click.Group):
    """Commands, of which ``film`` needs no name; a mistyped one is answered with the nearest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``film`` in front of bare options and lesson files."""
        is_bare = not args or (args[0].startswith("-") and args[0] not in ("--help", "-h"))
        if is_bare or args[0].endswith(".toml"):
            args = ["film", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command by name."""
        return list(HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """A command, or a refusal that names the nearest."""
        if cmd_name not in HOMES:
            hint = did_you_mean(cmd_name, HOMES)
            raise RequestError(f"there is no command {cmd_name!r}; there are {', '.join(HOMES)}{hint}")
        command: click.Command = getattr(import_module(HOMES[cmd_name]), cmd_name)
        return command


@click.group(cls=LessonCommands, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Make the lesson on attention as film, every number in it computed live and proven."""


@click.command()
def setup() -> None:
    """Install what is missing into .venv; done in an instant when nothing is."""
    sys.exit(set_up())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; errors are one line on stderr."""
    settle()
    forgive_console()
    return run_commands(cli, sys.argv[1:] if arguments is None else arguments)


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
