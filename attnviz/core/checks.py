"""What every function of the core asks of its input, and the sentences that say where it fails.

Everything is refused with a ``ValueError`` that names the place. Rows and columns are counted
from 0 in these sentences, as they are in the arrays.
"""

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Array = np.ndarray

#: How far the sum of weights which a person rounded may be from 1, and the smallest entry that
#: still counts as a rounded 0. Both are attnviz's own choice.
SUM_TOLERANCE = 0.01
NEGATIVE_TOLERANCE = 1e-9

_MOST_NAMES = 5


def real_array(x: ArrayLike, name: str) -> Array:
    """Return x as an array of real numbers in the dtype it came in, with at least one axis."""
    if isinstance(x, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a NumPy masked array; its mask would be lost. "
            "Pass the plain numbers, and hide entries with -inf or with allowed"
        )
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise ValueError(f"{name} must be rows of equal length; got {_kinds(x)}") from error
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be real numbers; got {_dtype_words(array.dtype)}")
    if array.ndim == 0:
        raise ValueError(f"{name} must be a row of numbers; got a single number, with no axis")
    return array


def as_float64(x: ArrayLike, name: str) -> Array:
    """Return x as float64 with at least one axis; ValueError unless it is real numbers."""
    array = real_array(x, name)
    with np.errstate(over="ignore"):
        result = array.astype(np.float64, copy=False)
    if result.dtype.itemsize < array.dtype.itemsize:  # a long double can be beyond float64
        beyond = np.isinf(result) & ~np.isinf(array)
        if beyond.any():
            raise ValueError(f"{name} is outside float64 {first_place(beyond)}")
    return result


def nonempty_rows(array: Array, axis: int, name: str) -> None:
    """Refuse rows without entries; a batch of no rows is fine."""
    if array.shape[axis] == 0:
        raise ValueError(f"{name} has an empty row (shape {array.shape}); it needs one entry")


def one_number(value: Any, name: str) -> float:
    """Return value as a finite float; ValueError for text, arrays, complex, NaN and infinity."""
    number = _number(value, name)
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite; got {number}")
    return number


def check_beta(beta: Any, *, limit: bool = False) -> float:
    """Return the inverse temperature as a float >= 0, finite unless ``limit`` is True."""
    number = _number(beta, "beta")
    if np.isnan(number) or number < 0:
        raise ValueError(f"beta must be 0 or more; got {number}")
    if np.isinf(number) and not limit:
        raise ValueError("beta must be finite; hard_max gives the limit of infinite beta")
    return number + 0.0  # -0.0 becomes 0.0


def check_allowed(allowed: ArrayLike | None, shape: tuple[int, ...]) -> Array:
    """Return allowed (True = may attend) with this shape; None allows everything."""
    if allowed is None:
        return np.ones(shape, dtype=bool)
    array = np.asarray(allowed)
    if array.dtype.kind != "b":
        raise ValueError(
            "allowed must be boolean, True = may attend; "
            f"got {_dtype_words(array.dtype)}. Numbers that are added to scores belong in bias"
        )
    return fit(array, shape, "allowed")


def fit(array: Array, shape: tuple[int, ...], name: str) -> Array:
    """Return array broadcast to exactly this shape; ValueError names both shapes."""
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(
            f"{name} has shape {array.shape}, which doesn't fit the scores {shape}"
        ) from None


def check_scores(scores: Array, seen: Array) -> None:
    """Refuse NaN and +inf where a key is seen; what stands in a hidden cell has no influence."""
    if np.isfinite(scores).all():
        return
    for bad, word in ((np.isnan(scores), "NaN"), (np.isposinf(scores), "+inf")):
        if (bad & seen).any():
            raise ValueError(
                f"the scores hold {word} {first_place(bad & seen)}; "
                "a score must be a finite number, or -inf for a hidden key"
            )


def check_weights(w: Array, axis: int, name: str = "weights") -> None:
    """Refuse rows that aren't weights: NaN, a negative entry, or a sum that isn't about 1."""
    nonempty_rows(w, axis, name)
    for bad, word in (
        (np.isnan(w), "hold NaN"),
        (np.isinf(w), "hold an infinity"),
        (w < -NEGATIVE_TOLERANCE, "are negative"),
    ):
        if bad.any():
            raise ValueError(f"{name} {word} {first_place(bad)}; weights lie between 0 and 1")
    with np.errstate(over="ignore"):
        total = w.sum(axis=axis)
    wrong = ~(np.abs(total - 1.0) <= SUM_TOLERANCE + 1e-12)
    if wrong.any():
        got = float(np.asarray(total)[wrong].flat[0])
        raise ValueError(f"{name} must sum to 1; {rows(wrong, axis, w.ndim)} sums to {got:g}")


def check_some_key(seen: Array, axis: int = -1) -> None:
    """Refuse rows in which no key is seen: their softmax would be 0/0."""
    dead = ~seen.any(axis=axis)
    if dead.any():
        raise ValueError(
            f"every entry is -inf in {rows(dead, axis, seen.ndim)}: "
            "no key is allowed, so there is nothing to share the weight"
        )


def rows(bad: Array, axis: int, ndim: int) -> str:
    """Name the rows where ``bad`` is True; ``bad`` lacks the given axis of an ndim array."""
    if ndim == 1:
        return "the only row"
    word = "column" if ndim == 2 and axis in (0, -2) else "row"
    found = np.argwhere(bad)
    names = [str(int(at[0])) if len(at) == 1 else str(tuple(map(int, at))) for at in found]
    text = ", ".join(names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        text += f" and {len(names) - _MOST_NAMES} more"
    return f"{word}{'s' if len(names) > 1 else ''} {text} (counted from 0)"


def first_place(bad: Array) -> str:
    """Say where the first True is."""
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    if len(at) == 1:
        return f"at position {at[0]} (counted from 0)"
    if len(at) == 2:
        return f"in row {at[0]}, column {at[1]} (counted from 0)"
    return f"at {at} (counted from 0)"


def _number(value: Any, name: str) -> float:
    """Return one real number as a float; it may still be NaN or infinite."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Real | np.bool_):
        raise ValueError(f"{name} must be one number; got {_kinds(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is outside float64") from None


def _from_objects(array: Array, name: str) -> Array:
    """Turn an object array of Python numbers (big integers, fractions) into float64."""
    for at, value in np.ndenumerate(array):
        if not isinstance(value, numbers.Real | np.bool_):
            place = f" at {at}" if at else ""
            raise ValueError(f"{name} must be real numbers; got {_kinds(value)}{place}")
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} holds a number outside float64") from None


def _dtype_words(dtype: np.dtype) -> str:
    """Name what came in words a person uses."""
    return {"c": "complex numbers", "U": "text", "S": "bytes"}.get(dtype.kind, f"dtype {dtype}")


def _kinds(value: Any) -> str:
    """Name the kind of a value that isn't what was asked for."""
    return f"{type(value).__name__} {value!r:.60}"


def choice(value: Any, choices: tuple[str, ...], name: str) -> str:
    """Return value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}")
    return value


def whole_number(value: Any, name: str, least: int, most: int | None = None) -> int:
    """Return value as an int from least to most; ValueError for anything but a whole number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number; got {_kinds(value)}")
    if value < least:
        raise ValueError(f"{name} must be {least} or more; got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be {most:,} or less; got {value}")
    return int(value)
