"""The likely reason of a failure: which known mistake gives exactly what came.

Where several do, one mistake goes before two, then the one that explains more of the cases.
"""

from collections.abc import Callable, Sequence

import numpy as np

from attnviz.check.cases import Case, Task
from attnviz.check.mistakes import Mistake
from attnviz.check.outcome import Outcome, agrees
from attnviz.core.checks import Array

#: Part of an exception (its class, or words of its message) and what it tells. First fit counts.
SLIPS = (
    ("NotImplementedError", "the function isn't written yet."),
    ("SystemExit", "the code ends the program (sys.exit). A function returns."),
    ("EOFError", "the code asks for input(). A function gets everything from its arguments."),
    ("RecursionError", "the function calls itself without end."),
    ("MemoryError", "the code asks for more memory than there is."),
    ("name 'np' is not defined", "`import numpy as np` is missing."),
    (
        "math range error",
        "math.exp refuses large numbers. Subtract the largest score of each row first.",
    ),
    (
        "overflow encountered",
        "exp overflows. Subtract the largest score of each row first.",
    ),
    (
        "ZeroDivisionError",
        "every exponential is 0, so their sum is. Subtract the largest score of each row first.",
    ),
    ("math domain error", "there is no logarithm of 0. Leave out the weights of 0."),
    ("expected a positive input", "there is no logarithm of 0. Leave out the weights of 0."),
    (
        "can be converted to Python scalars",
        "a function for one number (math.exp, math.log, float) got an array: use np.exp, np.log.",
    ),
    (
        "truth value of an array",
        "`if` asks an array for one answer. Use `is None`, .any() or .all().",
    ),
    ("out of bounds for array of dimension", "a vector has no axis 1. The last axis is axis=-1."),
    (
        "could not be broadcast together",
        "two shapes don't fit. A maximum or sum of each row needs keepdims=True.",
    ),
    ("mismatch in its core dimension", "two matrices don't fit: k is transposed in q @ k.T."),
    ("not aligned", "two matrices don't fit: k is transposed in q @ k.T."),
    (
        "Cannot cast ufunc",
        "an array of whole numbers can't hold fractions. Make a new array instead of += or /=.",
    ),
    ("unexpected keyword argument", "a parameter is missing, or has another name than asked for."),
    ("positional argument", "the parameters aren't those asked for."),
)


def verdict(task: Task, case: Case, outcome: Outcome) -> bool:
    """Say whether a case passes.

    Parameters
    ----------
    task : Task
    case : Case
    outcome : Outcome
        What came.

    Returns
    -------
    bool
    """
    if case.refused:
        return outcome.kind == "raised" and outcome.by_hand and "ValueError" in outcome.names
    return agrees(outcome, expected(task, case)) and _of_the_right_kind(task, outcome)


def expected(task: Task, case: Case) -> tuple[Array, ...]:
    """Return the right answer to a case that isn't refused."""
    args, named = case.arguments()
    return task.right(*args, **named)


def reasons(task: Task, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> list[str]:
    """Return a likely reason for each case, "" for those that pass.

    Parameters
    ----------
    task : Task
    cases : sequence of Case
        Those that were run.
    outcomes : sequence of Outcome
        What came, one a case.

    Returns
    -------
    list of str
        Sentences that begin with "Likely reason: ", or say that no known mistake fits.
    """

    def explains(mistake: Mistake) -> int:
        return sum(_gives(mistake, case, came) for case, came in zip(cases, outcomes, strict=True))

    found = []
    for case, outcome in zip(cases, outcomes, strict=True):
        if verdict(task, case, outcome):
            found.append("")
            continue
        reason = _reason(task, case, outcome, explains)
        found.append(
            f"Likely reason: {reason}"
            if reason
            else f"No known mistake gives this. Compare step by step with {task.by_steps}."
        )
    return found


def _reason(task: Task, case: Case, outcome: Outcome, explains: Callable[[Mistake], int]) -> str:
    if outcome.kind == "late":
        return "a loop that never ends, or far too much work for a few numbers."
    if outcome.kind == "died":
        return "the code ends the whole process (os._exit, os.abort, or a crash in a library)."
    if outcome.kind == "strange":
        return _strange(case, outcome.text)
    if outcome.kind == "raised":
        return _raised(task, case, outcome)
    if case.refused:
        fits = [m for m in task.unrefused if _gives(m, case, outcome)]
        if not fits and any(np.isnan(part).any() for part in outcome.parts):
            fits = list(task.unrefused[:1])
        return fits[0].reason if fits else ""
    fits = sorted(
        (m for m in task.mistakes if _gives(m, case, outcome)),
        key=lambda m: (m.at_once, -explains(m)),
    )
    right = expected(task, case)
    if not _of_the_right_kind(task, outcome) and outcome.parts[0].ndim == 0:
        return "the answer isn't True or False. Return a bool."
    return fits[0].reason if fits else _by_look(outcome, right)


def _strange(case: Case, text: str) -> str:
    if text == "None":
        return "there is no `raise ValueError`." if case.refused else "the `return` is missing."
    if text.startswith("a coroutine"):
        return "`async def` makes a coroutine. Use `def`."
    if text.startswith("a generator"):
        return "`yield`, or a comprehension in round brackets, makes a generator. Use `return`."
    return ""


def _raised(task: Task, case: Case, outcome: Outcome) -> str:
    words = " ".join((*outcome.names[:1], outcome.text))
    if outcome.by_hand and outcome.names[:1] not in (("NotImplementedError",), ("SystemExit",)):
        if case.refused:
            return f"the exception must be a ValueError, not {outcome.names[0]}."
        return "the function refuses an input that has an answer."
    slip = next((reason for part, reason in (*task.slips, *SLIPS) if part in words), "")
    if case.refused and "ValueError" in outcome.names:
        return f"NumPy stumbled here; your function didn't refuse{f': {slip}' if slip else '.'}"
    return slip


def _gives(mistake: Mistake, case: Case, outcome: Outcome) -> bool:
    """Say whether a wrong procedure does with a case what the person's function did."""
    args, named = case.arguments()
    try:
        with np.errstate(all="ignore"):
            gives = mistake.gives(*args, **named)
    except ValueError:  # shapes that don't fit
        return outcome.kind == "raised" and "ValueError" in outcome.names and not outcome.by_hand
    parts = gives if isinstance(gives, tuple) else (gives,)
    return agrees(outcome, tuple(np.asarray(part, dtype=float) for part in parts))


def _of_the_right_kind(task: Task, outcome: Outcome) -> bool:
    return not task.truth or outcome.dtypes[:1] == ("bool",)


def _by_look(outcome: Outcome, right: tuple[Array, ...]) -> str:
    """Find a reason in how the numbers relate to the right ones, whatever the function."""
    if len(outcome.parts) > len(right):
        return "a pair came where one result was asked for."
    for came, wanted in zip(outcome.parts, right, strict=False):
        if not np.array_equal(came, wanted, equal_nan=True):
            reason = _shape(came, wanted) or _numbers(came, wanted, outcome.dtypes[0])
            if reason:
                return reason
    return ""


def _shape(came: Array, wanted: Array) -> str:
    if came.shape == wanted.shape:
        return ""
    if wanted.ndim == 0:
        return (
            f"one answer is asked for, and an array of shape {came.shape} came. "
            "Combine it with .all() or .sum(), without keepdims."
        )
    if came.shape == wanted.T.shape and _near(came.T, wanted):
        return "the result is transposed."
    if came.size == wanted.size and _near(came.ravel(), wanted.ravel()):
        return f"the numbers are right, their shape isn't: {came.shape}, not {wanted.shape}."
    return f"the shape is {came.shape}, not {wanted.shape}."


def _numbers(came: Array, wanted: Array, dtype: str) -> str:
    if came.size == 0:
        return ""
    if (np.isnan(came) & ~np.isnan(wanted)).any():
        return ""
    if np.array_equal(came, np.trunc(wanted)):
        return (
            "fractions are cut off: the numbers were put into an array of whole numbers "
            "(np.zeros_like of whole numbers is one), or divided by //."
        )
    for digits in range(9):
        if np.allclose(came, np.round(wanted, digits), rtol=0, atol=1e-12):
            return f"the result is rounded to {digits} decimals. Round only what is printed."
    if _near(came, -wanted):
        return "the sign is turned around."
    if _near(came, 100 * wanted):
        return "these are percent."
    if _near(np.sort(came, axis=None), np.sort(wanted, axis=None)):
        return "the numbers are right, their order isn't."
    if dtype.startswith(("float16", "float32")) or np.allclose(came, wanted, rtol=1e-5, atol=1e-6):
        return "the numbers are near but lack digits: a narrow format, or a small number added."
    return ""


def _near(came: Array, wanted: Array) -> bool:
    return np.allclose(came, wanted, rtol=1e-9, atol=1e-9, equal_nan=True)
