"""What came of one case, and how it travels from the fresh process: as JSON, never as a pickle."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attnviz.core.checks import Array

Kind = Literal["value", "raised", "strange", "late", "died"]

#: A result with more numbers isn't sent: the largest right answer here has a dozen.
MOST_NUMBERS = 10_000
MOST_TEXT = 300

#: How far a result may be from the right one. Narrower formats keep 7 and 3 digits.
TOLERANCES = {"float32": 1e-6, "float16": 2e-3}
TOLERANCE = 1e-9

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a person's function did in one case.

    Attributes
    ----------
    kind : {"value", "raised", "strange", "late", "died"}
        Numbers came; an exception came; something came that isn't numbers; the time ran out; the
        process ended without an answer.
    parts : tuple of ndarray of float64
        The numbers: one array, or two where a function returned a pair.
    dtypes : tuple of str
        The format of each part as it came.
    text : str
        The message of the exception, or a phrase that says what came.
    names : tuple of str
        The class of the exception and those it is derived from.
    line : int or None
        Line of the person's file where it was raised, or where the time ran out.
    by_hand : bool
        Whether the exception comes from a ``raise`` and not from a slip.
    loaded : bool
        Whether the file was loaded before this happened.
    changed : tuple of str
        Names of the arguments that the function changed.
    printed : bool
        Whether the process printed anything.
    """

    kind: Kind
    parts: tuple[Array, ...] = ()
    dtypes: tuple[str, ...] = ()
    text: str = ""
    names: tuple[str, ...] = ()
    line: int | None = None
    by_hand: bool = False
    loaded: bool = True
    changed: tuple[str, ...] = ()
    printed: bool = False


def packed(value: Any, *, pair: bool = False) -> dict[str, Any]:
    """Turn what a function returned into plain data.

    Parameters
    ----------
    value : object
        Anything at all.
    pair : bool
        Whether a tuple of two matrices counts as two results.

    Returns
    -------
    dict
        Of kind "value" or "strange"; nan and infinities are spelled as text.

    Examples
    --------
    >>> packed([1.0, float("nan")])["parts"]
    [{'dtype': 'float64', 'shape': [2], 'values': [1.0, 'nan']}]
    >>> packed(None)["text"]
    'None'
    """
    values = (value,)
    if pair and isinstance(value, tuple) and len(value) == 2 and all(map(_is_matrix, value)):
        values = value
    parts = []
    for each in values:
        array = _as_array(each)
        if isinstance(array, str):
            return {"kind": "strange", "text": array}
        parts.append(
            {
                "dtype": str(array.dtype),
                "shape": list(array.shape),
                "values": [_spelled(x) for x in array.astype(np.float64).ravel().tolist()],
            }
        )
    return {"kind": "value", "parts": parts}


def unpacked(data: Mapping[str, Any], *, printed: bool = False) -> Outcome:
    """Turn plain data into an outcome.

    Parameters
    ----------
    data : mapping
        As `packed` makes it, or the names of `Outcome` for the other kinds.
    printed : bool

    Returns
    -------
    Outcome
    """
    parts = data.get("parts", ())
    arrays = [np.array([float(x) for x in p["values"]]).reshape(p["shape"]) for p in parts]
    return Outcome(
        kind=data["kind"],
        parts=tuple(arrays),
        dtypes=tuple(p["dtype"] for p in parts),
        text=data.get("text", ""),
        names=tuple(data.get("names", ())),
        line=data.get("line"),
        by_hand=data.get("by_hand", False),
        loaded=data.get("loaded", True),
        changed=tuple(data.get("changed", ())),
        printed=printed,
    )


def agrees(outcome: Outcome, parts: tuple[Array, ...]) -> bool:
    """Say whether the numbers that came are these.

    Parameters
    ----------
    outcome : Outcome
    parts : tuple of ndarray
        A second one is compared only when a pair came. A NaN agrees with a NaN.

    Returns
    -------
    bool
        False unless shapes agree and each number is within `TOLERANCE`, relative above 1.
    """
    if outcome.kind != "value" or len(outcome.parts) > len(parts):
        return False
    return all(
        part.shape == other.shape and _near(part, other, TOLERANCES.get(dtype, TOLERANCE))
        for part, other, dtype in zip(outcome.parts, parts, outcome.dtypes, strict=False)
    )


def _near(part: Array, other: Array, far: float) -> bool:
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf; infinities are found by ==
        near = np.abs(part - other) <= far * np.maximum(1.0, np.minimum(np.abs(other), _LARGEST))
    return bool((near | (part == other) | (np.isnan(part) & np.isnan(other))).all())


def _is_matrix(value: Any) -> bool:
    array = _as_array(value)
    return not isinstance(array, str) and array.ndim == 2


def _as_array(value: Any) -> Array | str:
    """Return the numbers of a result, or a phrase that says what came instead."""
    if value is None:
        return "None"
    if isinstance(value, str | bytes):
        return f"text, {_short(value)}"
    if _count(value) > MOST_NUMBERS:
        return f"more than {MOST_NUMBERS} numbers, too many to compare"
    try:
        array = np.asarray(value)
    except ValueError:
        return "rows of different lengths"
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            return _kind(value)
    if array.dtype.kind not in "biuf":
        return f"complex numbers, {_short(value)}" if array.dtype.kind == "c" else _kind(value)
    return array


def _count(value: Any) -> int:
    """Count the numbers of an array or of nested lists, but not far beyond the most."""
    size = getattr(value, "size", None)
    if isinstance(size, int):
        return size
    if not isinstance(value, list | tuple):
        return 1
    total = len(value)
    for item in value if total <= MOST_NUMBERS else ():
        total += _count(item) - 1
        if total > MOST_NUMBERS:
            break
    return total


def _spelled(number: float) -> float | str:
    return number if np.isfinite(number) else repr(number)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _kind(value: Any) -> str:
    """Name the class of a value, and the value unless it only tells its address."""
    name = f"a {type(value).__name__}"
    return name if repr(value).startswith("<") else f"{name}, {_short(value)}"
