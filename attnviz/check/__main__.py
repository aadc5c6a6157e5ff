"""``python -m attnviz.check FILE``: check a person's own functions."""

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from attnviz.check.cases import TASKS
from attnviz.check.outcome import Outcome
from attnviz.check.report import lines_of, not_loaded, unchanged_lines
from attnviz.check.runner import ask
from attnviz.check.source import Unreadable, functions_of

SECONDS = 5.0
MOST_SECONDS = 3600.0

Ask = Callable[[Path, str, int, float], Outcome]


def main(arguments: Sequence[str] | None = None, ask: Ask = ask) -> int:
    """Check a file and print the report.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line if they aren't given.
    ask : callable
        Runs one case.

    Returns
    -------
    int
        0 when every case passes, 1 when one fails, 2 when nothing could be run.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a message may hold what the console lacks
    options = _options(arguments)
    path: Path = options.file
    try:
        functions = functions_of(path)
    except Unreadable as error:
        print(error)
        return 2
    if options.function:
        functions = [options.function]
    if not functions:
        print(f"{path.name} defines none of the functions {', '.join(TASKS)}.")
        return 2
    try:
        return _check(path, functions, options.seconds, ask)
    except KeyboardInterrupt:
        print("Stopped.")
        return 2


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m attnviz.check",
        description="Check your own softmax, naive_softmax, rows_normalised, entropy or attention. "
        "The file runs on this machine, each case in a fresh process.",
    )
    parser.add_argument("file", type=Path, help="a Python file that defines one or more of them")
    parser.add_argument("--function", choices=TASKS, help="check only this one")
    parser.add_argument(
        "--seconds", type=_seconds, default=SECONDS, help="time limit of a case (default 5)"
    )
    return parser.parse_args(arguments)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"must be above 0 and at most {MOST_SECONDS:g}; got {text}"
        )
    return number


def _check(path: Path, functions: Sequence[str], seconds: float, ask: Ask) -> int:
    passed = run = planned = 0
    printed = False
    for function in functions:
        task = TASKS[function]
        outcomes, stopped = _outcomes(path, function, seconds, ask)
        printed |= any(outcome.printed for outcome in outcomes)
        if not outcomes[0].loaded:
            print(not_loaded(path, function, outcomes[0], seconds))
            print("No case could be run." if not run else f"No case of {function} could be run.")
            return 2
        cases = task.cases[: len(outcomes)]
        lines, good = lines_of(task, cases, outcomes)
        planned += len(task.cases) + 1
        run, passed = run + len(cases), passed + good
        print(f"{path.name}: {function}\n")
        if not stopped:
            more, unchanged = unchanged_lines(outcomes)
            lines += more
            run, passed = run + 1, passed + unchanged
        print("\n".join(lines))
        print(f"\n{stopped}\n" if stopped else "")
    if printed:
        print(f"{path.name} prints while it runs. That is left out here.")
    rest = f" {planned - run} were not run." if planned > run else ""
    print(f"{passed} of {planned} cases pass.{rest}")
    return 0 if passed == planned else 1


def _outcomes(path: Path, function: str, seconds: float, ask: Ask) -> tuple[list[Outcome], str]:
    """Run the cases one by one; return what came, and a sentence where the run stops early."""
    outcomes: list[Outcome] = []
    for index in range(len(TASKS[function].cases)):
        outcomes.append(ask(path, function, index, seconds))
        if not outcomes[-1].loaded:
            return outcomes, "The file no longer loads."
        if outcomes[-1].names[:1] == ("NotImplementedError",):
            return outcomes, f"{function} isn't written yet, so its other cases were not run."
        if [outcome.kind for outcome in outcomes[-2:]] == ["late", "late"]:
            return outcomes, "Two cases in a row ran out of time, so the others were not run."
    return outcomes, ""


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads the report has seen enough, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
