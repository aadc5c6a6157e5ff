"""One attention head as a JSON file, and back."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.attention import Empty
from attnviz.core.checks import Array
from attnviz.exports.attention_head import AttentionHead, checked_head

FORMAT = "attnviz-attention/1"
#: Bytes of a file, the length of a side of a matrix, and how deep brackets nest in it.
MAX_BYTES = 5 * 1024 * 1024
MAX_SIDE = 512
_DEPTH = 3
_CLOSE = 1e-9  # how far stated numbers may be from computed ones, which differ by machine

_GIVEN = ("q", "k", "v", "allowed", "scale", "beta", "empty", "tokens", "keys")
_COMPUTED = ("weights", "output")
_WORDS = ("nan", "inf", "-inf")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)', re.DOTALL)


def json_text(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    allowed: ArrayLike | None,
    scale: float | None,
    beta: float,
    empty: Empty,
    tokens: Sequence[str],
    keys: Sequence[str],
) -> str:
    """Return one head as strict JSON, one line an entry.

    Parameters
    ----------
    q, k, v, allowed, scale, beta, empty, tokens, keys
        As in `numpy_text`.

    Returns
    -------
    str
        An object with "format" (`FORMAT`), what was given, and "weights" and "output" as
        `attention` computes them. "allowed" is a matrix, true = may attend; "scale" is null for
        1/√d_k. Numbers have all their digits; what JSON has no number for is "nan", "inf" (such as
        beta in the limit T -> 0) or "-inf". Weights and output of a query without an allowed key
        are "nan" where `empty` is "error".

    Raises
    ------
    ValueError
        As in `numpy_text`, and if `read_json` would refuse the file for its size.

    Examples
    --------
    >>> print(json_text([[1.0]], [[2.0]], [[3.0]], allowed=None, scale=None, beta=1,
    ...                 empty="zeros", tokens=["the"], keys=["<s>"]))
    {
    "format": "attnviz-attention/1",
    "q": [[1.0]],
    "k": [[2.0]],
    "v": [[3.0]],
    "allowed": [[true]],
    "scale": null,
    "beta": 1.0,
    "empty": "zeros",
    "tokens": ["the"],
    "keys": ["<s>"],
    "weights": [[1.0]],
    "output": [[3.0]]
    }
    <BLANKLINE>
    """
    head = checked_head(
        q, k, v, allowed=allowed, scale=scale, beta=beta, empty=empty, tokens=tokens, keys=keys
    )
    entries = {"format": FORMAT} | {name: getattr(head, name) for name in _GIVEN}
    entries |= {name: getattr(head.steps, name) for name in _COMPUTED}
    lines = (f'"{name}": {json.dumps(_plain(entry))}' for name, entry in entries.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    _check_size(text)
    for name in ("q", "k", "v"):
        _check_sides(getattr(head, name).shape, name)
    return text


def read_json(text: str) -> AttentionHead:
    """Read what `json_text` wrote, or a file that a person wrote or changed.

    Parameters
    ----------
    text : str
        The file, at most `MAX_BYTES` long, with or without a byte order mark.

    Returns
    -------
    AttentionHead
        What was given comes back exactly. Weights and output are computed anew; the file may
        leave them out, and where it has them they must agree to about nine digits.

    Raises
    ------
    ValueError
        A sentence that names the place: if the file is too large, isn't JSON, is nested too deep,
        lacks an entry or has one that isn't known or is there twice; if a matrix is ragged, larger
        than `MAX_SIDE` or holds something else than numbers; if the entries don't fit each other;
        or if weights or output don't follow from the rest.

    Examples
    --------
    >>> given = {"allowed": [[True]], "scale": 0.5, "beta": 1, "empty": "zeros"}
    >>> head = read_json(json_text([[1]], [[2]], [[3]], **given, tokens=["a"], keys=["b"]))
    >>> head.scale, head.steps.output
    (0.5, array([[3.]]))
    """
    entries = _parsed(text)
    if entries.get("format") != FORMAT:
        raise ValueError(f'"format" must be "{FORMAT}"; got {_said(entries.get("format"))}')
    if lacking := [name for name in _GIVEN if name not in entries]:
        raise ValueError(f"the file lacks {', '.join(lacking)}")
    if unknown := sorted(set(entries) - {"format", *_GIVEN, *_COMPUTED}):
        raise ValueError(f"the file has an entry that isn't known: {_said(unknown[0])}")
    q, k, v = (_matrix(entries[name], name, _number) for name in ("q", "k", "v"))
    allowed = _matrix(entries["allowed"], "allowed", _truth)
    if allowed.shape != (len(q), len(k)):
        raise ValueError(f"allowed must have shape {(len(q), len(k))}; got {allowed.shape}")
    head = checked_head(
        q,
        k,
        v,
        allowed=allowed,
        scale=None if entries["scale"] is None else _number(entries["scale"], "scale"),
        beta=_number(entries["beta"], "beta"),
        empty=entries["empty"],
        tokens=_labels(entries["tokens"], "tokens"),
        keys=_labels(entries["keys"], "keys"),
    )
    for name in _COMPUTED:
        if name in entries:
            stated = _matrix(entries[name], name, _number)
            _check_computed(stated, getattr(head.steps, name), name)
    return head


def _plain(entry: Any) -> Any:
    """Return an entry as JSON can hold it."""
    if isinstance(entry, np.ndarray):
        return [_plain(row) for row in entry.tolist()]
    if isinstance(entry, list):
        return [_plain(x) for x in entry]
    if isinstance(entry, float) and not math.isfinite(entry):
        return repr(entry)
    return entry


def _check_size(text: str) -> None:
    # A letter is a byte or more: a text that is far too long isn't copied to count them.
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ValueError(f"the file is larger than {MAX_BYTES // 2**20} MB")


def _check_depth(text: str) -> None:
    """Refuse brackets inside brackets inside brackets, which could exhaust the stack."""
    signs = np.frombuffer(_STRING.sub("", text).encode("utf-8", "surrogatepass"), dtype=np.uint8)
    opened = np.isin(signs, list(b"[{")).astype(np.int32)
    closed = np.isin(signs, list(b"]}")).astype(np.int32)
    if np.cumsum(opened - closed).max(initial=0) > _DEPTH:
        raise ValueError(f"the file is nested deeper than {_DEPTH} brackets")


def _parsed(text: str) -> dict[str, Any]:
    """Return the entries of a file that is strict JSON and not too much of it."""
    _check_size(text)
    _check_depth(text)
    try:
        entries = json.loads(
            text.removeprefix("\ufeff"),
            parse_int=float,
            parse_constant=_no_constant,
            object_pairs_hook=_each_once,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"the file isn't JSON: {error.msg} in {place}") from None
    if not isinstance(entries, dict):
        raise ValueError("the file must be a JSON object with named entries")
    return entries


def _no_constant(word: str) -> None:
    raise ValueError(f'{word} isn\'t JSON; write it as text: "nan", "inf" or "-inf"')


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        twice = next(
            name for name, count in Counter(name for name, _ in pairs).items() if count > 1
        )
        raise ValueError(f"the file has an entry twice: {_said(twice)}")
    return entries


def _matrix(rows: Any, name: str, read: Callable[[Any, str], float | bool]) -> Array:
    """Return a matrix of numbers or of truth values."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
        raise ValueError(f"{name} must be a list of rows; got {_said(rows)}")
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{name} must have rows of equal length; row {i} (counted from 0) has {len(row)}, "
                f"row 0 has {len(rows[0])}"
            )
    _check_sides((len(rows), len(rows[0])), name)
    return np.array(
        [
            [read(x, f"{name}, row {i}, column {j} (counted from 0)") for j, x in enumerate(row)]
            for i, row in enumerate(rows)
        ]
    )


def _check_sides(shape: tuple[int, ...], name: str) -> None:
    if max(shape) > MAX_SIDE:
        raise ValueError(f"{name} may have {MAX_SIDE} rows and columns at most; got {shape}")


def _number(value: Any, place: str) -> float:
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, str) and value in _WORDS:
        return float(value)
    if isinstance(value, float):
        raise ValueError(f"{place}: the number is outside float64")
    raise ValueError(f'{place}: must be a number, "nan", "inf" or "-inf"; got {_said(value)}')


def _truth(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{place}: must be true (may attend) or false; got {_said(value)}")
    return value


def _labels(values: Any, name: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name} must be a list of texts; got {_said(values)}")
    return values


def _check_computed(stated: Array, computed: Array, name: str) -> None:
    """Refuse numbers in a file that don't follow from the others in it."""
    if stated.shape != computed.shape:
        raise ValueError(f"{name} must have shape {computed.shape}; got {stated.shape}")
    least = _CLOSE * np.abs(computed).max(initial=0.0, where=np.isfinite(computed))
    wrong = ~np.isclose(stated, computed, rtol=_CLOSE, atol=least, equal_nan=True)
    if wrong.any():
        i, j = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"{name}, row {i}, column {j} (counted from 0): the file says {stated[i, j]}, but "
            f"{computed[i, j]} follows from q, k, v and the rest; leave {name} out to have it "
            "computed"
        )


def _said(value: Any) -> str:
    """Return a value for a sentence."""
    return f"{json.dumps(value):.60}"
