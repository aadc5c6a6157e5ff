"""The report as plain text: a line for each case, and what a person needs to mend a failure."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attnviz.check.cases import Case, Task
from attnviz.check.outcome import Outcome
from attnviz.check.reasons import expected, reasons
from attnviz.core.checks import Array

WIDTH = 96
MOST_SHOWN = 60
_INDENT = " " * 6


def lines_of(
    task: Task, cases: Sequence[Case], outcomes: Sequence[Outcome]
) -> tuple[list[str], int]:
    """Write the report of one function.

    Parameters
    ----------
    task : Task
    cases : sequence of Case
        Those that were run.
    outcomes : sequence of Outcome
        What came, one a case.

    Returns
    -------
    lines : list of str
    passed : int
        How many cases pass.
    """
    lines, passed, told = [], 0, set()
    for case, outcome, reason in zip(cases, outcomes, reasons(task, cases, outcomes), strict=True):
        if not reason:
            passed += 1
            lines.append(f"ok    {case.name}")
            continue
        count = max(1, len(outcome.parts))
        came, wanted = _came(outcome), _wanted(task, case, count)
        lines.append(f"FAIL  {case.name}")
        for number, argument in enumerate(arguments_as_python(task, case)):
            lines += _entry("input" if number == 0 else "", argument)
        lines += _entry("came", came)
        lines += _entry("expected", wanted)
        told_before = reason in told and reason.startswith("Likely reason")
        told.add(reason)
        if told_before:
            reason = "Likely reason: the same as above."
        lines += textwrap.wrap(reason, WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return lines, passed


def unchanged_lines(outcomes: Sequence[Outcome]) -> tuple[list[str], bool]:
    """Write the line that says whether the function leaves its input as it is.

    Parameters
    ----------
    outcomes : sequence of Outcome

    Returns
    -------
    lines : list of str
    passed : bool
    """
    changed = sorted({name for outcome in outcomes for name in outcome.changed})
    if not changed:
        return ["ok    leaves its input as it is"], True
    names = " and ".join(changed)
    reason = (
        f"Your function changes its input {names}. Likely reason: -=, /= or an assignment to "
        f"{changed[0]}[...]. Make a new array: {changed[0]} = {changed[0]} - ..."
    )
    wrapped = textwrap.wrap(reason, WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return ["FAIL  leaves its input as it is", *wrapped], False


def arguments_as_python(task: Task, case: Case) -> list[str]:
    """Return each argument as a line of Python.

    Parameters
    ----------
    task : Task
    case : Case

    Returns
    -------
    list of str

    Examples
    --------
    >>> from attnviz.check.cases import TASKS
    >>> arguments_as_python(TASKS["softmax"], TASKS["softmax"].cases[2])
    ['x = np.array([3, 1, 2])']
    """
    args, named = case.arguments()
    pairs = zip(task.parameters, (*args, *named.values()), strict=False)
    return [f"{name} = np.array({_python(value.tolist())})" for name, value in pairs]


def not_loaded(path: Path, function: str, outcome: Outcome, seconds: float) -> str:
    """Say in a sentence why no case could be run.

    Parameters
    ----------
    path : Path
    function : str
    outcome : Outcome
        Of the first case; its file wasn't loaded.
    seconds : float
        The time limit.

    Returns
    -------
    str
    """
    at = f"{path.name}, line {outcome.line}" if outcome.line else path.name
    match outcome.kind:
        case "late":
            return f"{at}: the file is still running after {seconds:g} s, before any call."
        case "died":
            return f"{at}: the process ended while the file was loaded ({outcome.text})."
        case "strange":
            return f"{at}: it has {outcome.text}."
    if outcome.names[:1] == ("SystemExit",):
        return f"{at}: the file ends the program (sys.exit) while it is loaded."
    if outcome.names[:1] == ("EOFError",):
        return f"{at}: the file asks for input() while it is loaded."
    return f"{at}: {_exception(outcome)} while the file is loaded."


def _came(outcome: Outcome) -> str:
    at = f" in line {outcome.line}" if outcome.line else ""
    match outcome.kind:
        case "value":
            texts = [
                _numbers(part, dtype)
                for part, dtype in zip(outcome.parts, outcome.dtypes, strict=True)
            ]
            return " and ".join(texts)
        case "raised":
            return _exception(outcome, at)
        case "late":
            return f"nothing: it was still running{at} when the time was over"
        case "died":
            return f"nothing: the process ended ({outcome.text})"
    return outcome.text


def _wanted(task: Task, case: Case, count: int) -> str:
    if case.refused:
        return "a ValueError"
    dtype = "bool" if task.truth else "float64"
    parts = expected(task, case)[:count]
    texts = [_numbers(part, dtype) for part in parts]
    return " and ".join(texts)


def _numbers(part: Array, dtype: str) -> str:
    if part.size > MOST_SHOWN:
        return f"an array of shape {part.shape}"
    values = part.astype(bool).tolist() if dtype == "bool" else part.tolist()
    return _python(values, numpy="")


def _python(value: object, numpy: str = "np.") -> str:
    if isinstance(value, list):
        return f"[{', '.join(_python(item, numpy) for item in value)}]"
    if isinstance(value, float):
        if not np.isfinite(value):
            return {"inf": f"{numpy}inf", "-inf": f"-{numpy}inf"}.get(str(value), f"{numpy}nan")
        # Ten digits tell apart what the tolerance of 1e-9 does.
        return repr(value) if numpy else f"{value:.10g}"
    return repr(value)


def _exception(outcome: Outcome, at: str = "") -> str:
    text = " ".join(outcome.text.split())
    name = (outcome.names[0] if outcome.names else "an exception") + at
    return f"{name}: {text}" if text else name


def _entry(name: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"{_INDENT}{name:<10}",
        subsequent_indent=" " * 16,
        break_long_words=False,
    ) or [f"{_INDENT}{name}"]
