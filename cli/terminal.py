"""What a run says on the terminal when it is done."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Column, Table

from film.doctor import Finding
from film.errors import FilmError, MissingError
from film.job import StageResult
from film.page.lecture import lecture_page
from film.plan.film_plan import FilmPlan
from film.plan.stage_plan import StagePlan
from film.prove.report import CheckRecord, Report
from scenes.records import Language


def wide_console() -> Console:
    """Standard output; wide where no terminal says how wide it is."""
    console = Console()
    return console if console.is_terminal else Console(width=140)


def say_checks(console: Console, checks: Sequence[CheckRecord], language: Language) -> None:
    """Print the checks as a table: claim, figure, allowance, outcome."""
    table = Table(Column("check", no_wrap=True), Column("claim", overflow="fold"), "measured", "allowed", "")
    for check in checks:
        outcome = check.skipped or ("passed" if check.passed else "FAILED")
        figures = ("" if figure is None else f"{figure:.3g}" for figure in (check.measured, check.tolerance))
        table.add_row(check.id, check.claim.zh if language == "zh" else check.claim.en, *figures, outcome)
    console.print(table)


def say_stages(console: Console, results: Sequence[StageResult], language: Language) -> None:
    """Print every stage with its length, and under it every beat with its seconds and its sentence."""
    for result in results:
        info = result.info
        head = f"{info.number:>2}  {info.id}  {info.title.of(language)}"
        lines = [f"{head}  {sum(beat.end_s - beat.start_s for beat in result.beats):.1f} s"]
        width = max(len(beat.name) for beat in result.beats)
        lines += [
            f"      {beat.name:<{width}} {beat.end_s - beat.start_s:6.1f} s"
            f"  {' '.join(beat.caption.of(language).split())}"
            for beat in result.beats
        ]
        for line in lines:
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    beats = sum(len(result.beats) for result in results)
    total = sum(result.frames / result.fps for result in results)
    console.print(f"{len(results)} stages, {beats} beats, {total:.1f} s", highlight=False)


def say_films(console: Console, plan: FilmPlan, report: Report) -> None:
    """Print each film, what was left alone and why, and how the numbers on screen fared."""
    lines = [
        f"{plan.folder / film.path}  {film.duration_s:.1f} s, {film.frames} frames" for film in report.films
    ]
    lines += [f"{plan.folder / path}  {reason}" for path, reason in report.stale]
    if lecture_page(plan).is_file():
        lines.append(f"{lecture_page(plan)}  open it in a browser to teach")
    counts = ", ".join(f"{count} {status}" for status, count in report.counts().items() if count)
    lines += [f"{len(report.shown)} numbers on screen: {counts or 'none'}", f"proof: {plan.report_path}"]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def say_course(console: Console, fared: Sequence[tuple[str, FilmError | None]]) -> None:
    """Print a line for each of many lessons: its name, and how it fared."""
    width = max(len(name) for name, _ in fared)
    for name, failure in fared:
        line = f"{name:<{width}}  {'verified' if failure is None else f'failed: {failure}'}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def brief(plan: FilmPlan, drawn: Sequence[str]) -> str:
    """What a run made, in a few words: ``score, softmax drawn → out/zh``."""
    return f"{', '.join(drawn)} drawn → {plan.folder}"


def say_findings(console: Console, findings: Sequence[Finding]) -> None:
    """Print what was looked for, then every line that installs something missing.

    Raises
    ------
    MissingError
        If anything is missing.
    """
    for finding in findings:
        state = "ok     " if finding.is_there else "MISSING"
        line = f"{state}  {finding.name}  {finding.detail}".rstrip()
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    missing = [finding for finding in findings if not finding.is_there]
    for remedy in dict.fromkeys(finding.remedy for finding in missing):
        console.print(f"run: {remedy}", markup=False, highlight=False, soft_wrap=True)
    if missing:
        raise MissingError(f"missing: {', '.join(finding.name for finding in missing)}")


def plan_lines(plan: FilmPlan, workers: int = 1) -> tuple[str, ...]:
    """The plan in words: a line for each stage, and one for each beat of a stage that is due."""
    width = max((len(stage.id) for stage in plan.stages), default=0)
    lines = [line for stage in plan.stages for line in _stage_lines(stage, width)]
    if plan.due:
        frames = sum(stage.expected_frames for stage in plan.due)
        lines.append(f"{frames} frames to draw, about {plan.expected_s(workers):.0f} s")
    return tuple(lines)


def _stage_lines(stage: StagePlan, width: int) -> list[str]:
    if not stage.is_asked:
        return [f"{stage.id:<{width}}  not asked for"]
    if not stage.reason:
        return [f"{stage.id:<{width}}  reuse"]
    head = f"{stage.id:<{width}}  render: {stage.reason}"
    if not stage.reused:
        return [head]
    wide = max(len(beat.name) for beat in stage.beats)
    beats = [
        f"{'':<{width}}  {beat.name:<{wide}}  {'reuse' if beat.segment else f'render: {beat.reason}'}"
        for beat in stage.beats
    ]
    return [head, *beats]
