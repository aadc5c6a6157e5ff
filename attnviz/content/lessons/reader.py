"""Read the file of a lesson; every mistake in it is named with its line.

A lesson is a TOML file: ``title``, ``goal``, and a table ``[[step]]`` for each step. What a step
may hold is listed in docs/LESSONS.md.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from attnviz.content.code import NAMES
from attnviz.content.lessons import (
    KINDS,
    Faults,
    GivenTexts,
    Lesson,
    LessonError,
    Option,
    Step,
    Wrong,
    lesson_text,
)
from attnviz.state.fields import quoted
from attnviz.state.lessons import MAX_STEPS
from attnviz.state.links import read_positions
from attnviz.state.matrix import Matrix, read_cells
from attnviz.state.numbers import NotNumbers, read_number
from attnviz.state.softmax import PANELS
from attnviz.state.temperature import Temperature, read_temperature

MAX_BYTES = 200_000
MAX_DOTS = 200  # in one key: the time to read a key grows with the square of them
MAX_SCALE = 1e6  # so that no drawn number times the scale leaves float64
EXPLORERS = ("softmax", "arithmetic", "attention", "masks")
_POOL = (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
_STEP = re.compile(r"\[\[\s*step\s*\]\]")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_NO_DOTS = re.compile(r"[^.=\n,{}]+")
_PICTURE = re.compile(r"!\[")
_LESSON = ("title", "goal", "step")
_LISTS = (
    "option",
    "wrong",
    "hints",
    "redraw",
    "pool",
    "bars",
    "decimals",
    "kind",
    "given",
    "also",
)
_WRONG = ("answer", "reply")
_OPTION = ("text", "right", "reply")
_MATRICES = ("scores", "q", "k", "v")
_GIVEN = (*_MATRICES, "T", "beta", "scale", "hide", "mask")
_TEXTS = ("title", "say", "ask", "well", "answer", "at", "explore", "open", "panel", "function")


@cache
def our_lesson(name: str) -> Lesson:
    """Return a lesson of ours.

    Parameters
    ----------
    name : str
        A name of `ORDER`.

    Returns
    -------
    Lesson
    """
    return read_lesson(lesson_text(name))


def read_lesson(text: str) -> Lesson:
    """Read the file of a lesson.

    Parameters
    ----------
    text : str
        TOML.

    Returns
    -------
    Lesson

    Raises
    ------
    LessonError
        With the line and what was expected there; faults of further steps are among its others.

    Examples
    --------
    >>> read_lesson("title = 'A'")
    Traceback (most recent call last):
    attnviz.content.lessons.LessonError: Line 1: the lesson needs a goal
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise LessonError(1, f"the file is larger than {MAX_BYTES // 1000} kB")
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > MAX_DOTS and "." * MAX_DOTS in _NO_DOTS.sub("", line):
            raise LessonError(number, "a line has hundreds of dots in a row")
    try:
        data = tomllib.loads(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    except RecursionError:
        raise LessonError(1, "the brackets are nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        raise _syntax(str(error), text) from None
    except ValueError:
        raise LessonError(1, "a number in it has thousands of digits") from None
    lines = text.splitlines()
    at = [1, *_step_lines(lines), len(lines) + 1]
    for name in data:
        if name not in _LESSON:
            raise LessonError(_find(lines, name, 1, at[1]), _unknown("a lesson", name, _LESSON))
    for name in ("title", "goal"):
        if not isinstance(data.get(name), str) or not data[name].strip():
            raise LessonError(1, f"the lesson needs a {name}")
        _check_text(data[name], _find(lines, name, 1, at[1]))
    steps = data.get("step")
    if not isinstance(steps, list) or not steps or not all(isinstance(s, dict) for s in steps):
        raise LessonError(len(lines) or 1, "the lesson needs at least one [[step]]")
    if len(steps) > MAX_STEPS:
        line = at[min(MAX_STEPS + 1, len(at) - 1)]
        raise LessonError(line, f"a lesson has at most {MAX_STEPS} steps")
    read, faults = [], Faults()
    for number, step in enumerate(steps, 1):
        first, last = (at[number], at[number + 1]) if number + 1 < len(at) else (1, len(lines))
        with faults.collected():
            read.append(_Reader(lines, first, last).step(step))
    faults.complain()
    return Lesson(data["title"].strip(), data["goal"].strip(), tuple(read))


def _unknown(owner: str, name: str, known: Sequence[str]) -> str:
    """Say that there is no such name, and which one was probably meant."""
    near = get_close_matches(name, known, 1)
    meant = f"did you mean {near[0]}?" if near else f"it may hold {', '.join(known)}"
    return f"{owner} has no {quoted(name)}; {meant}"


def _syntax(words: str, text: str) -> LessonError:
    found = _AT_LINE.search(words)
    line = int(found.group(1)) if found else len(text.splitlines()) or 1
    sentence = _AT_LINE.sub("", words).replace("(at end of document)", "at the end").strip()
    return LessonError(line, f"this is not TOML: {sentence}")


def _step_lines(lines: list[str]) -> list[int]:
    """Return the lines, from 1, at which a step begins; those inside long texts are none."""
    found, inside = [], ""
    for number, line in enumerate(lines, 1):
        if not inside and _STEP.match(line.strip()):
            found.append(number)
        for quote in re.findall(r'"""|\'\'\'', line):
            if not inside:
                inside = quote
            elif inside == quote:
                inside = ""
    return found


def _find(lines: list[str], name: str, first: int, last: int) -> int:
    """Return the line of a name, from 1, or where its table begins."""
    word = re.escape(name)
    alone = rf"\s*(\[+[^\]]*\b{word}\s*\]+|[\"']?{word}[\"']?\s*=)"
    inline = rf"\s*\w+\s*=\s*\{{(?:.*[{{,])?\s*{word}\s*="
    for pattern in (alone, inline):
        for number in range(first, last):
            if re.match(pattern, lines[number - 1]):
                return number
    return first


def _check_text(text: str, line: int) -> None:
    if _PICTURE.search(text):
        raise LessonError(line, "a lesson can't load pictures")


class _Reader:
    """Reads one step; knows where in the file it stands."""

    def __init__(self, lines: list[str], first: int, last: int) -> None:
        self._lines, self._first, self._last = lines, first, last

    def fail(self, name: str, sentence: str) -> LessonError:
        return LessonError(_find(self._lines, name, self._first, self._last), sentence)

    def read(self, name: str, read: Callable[[str], Any], text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise self.fail(name, f"{name}: {error}") from None

    def step(self, data: Mapping[str, Any]) -> Step:
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            raise self.fail("kind", f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
        known = _TEXTS + _LISTS
        for name in data:
            if name not in known:
                raise self.fail(name, _unknown("a step", name, known))
        texts = {name: self.text(data, name) for name in _TEXTS}
        for name in ("title", "say", "ask", "well"):
            _check_text(texts[name], _find(self._lines, name, self._first, self._last))
        step = Step(
            kind=kind,
            title=texts["title"],
            say=texts["say"],
            ask=texts["ask"],
            options=self.options(data.get("option", [])),
            bars=self.truth(data, "bars"),
            given=self.given("given", data.get("given", {})),
            also={name: self.given(name, part) for name, part in self.table(data, "also").items()},
            answer=texts["answer"],
            well=texts["well"],
            at=tuple(self.read("at", _places, texts["at"])),
            decimals=self.count(data, "decimals", 3, 9),
            wrong=self.wrong(data.get("wrong", [])),
            hints=tuple(self.strings(data, "hints")),
            redraw=tuple(self.strings(data, "redraw")),
            pool=tuple(self.pool(data)),
            explore=texts["explore"],
            open=texts["open"],
            panel=texts["panel"],
            function=texts["function"],
            line=self._first,
        )
        self.check(step)
        return step

    def check(self, step: Step) -> None:
        """Say what a step lacks, or holds and can't use."""
        if not step.say.strip() and not step.ask.strip():
            raise self.fail("kind", "the step says nothing: give it say or ask")
        if bool(step.options) + step.bars + bool(step.answer) > 1:
            raise self.fail("answer", "a step asks once: option, bars or answer")
        if step.asks and not step.ask.strip():
            raise self.fail("kind", "there is something to answer and no ask")
        if step.kind in ("predict", "explain", "task", "check") and not step.asks:
            raise self.fail("kind", f"a step of the kind {step.kind} needs option, bars or answer")
        for name in ("wrong", "well"):
            if getattr(step, name) and not step.answer:
                raise self.fail(name, f"{name} needs a step with answer")
        if step.options and (len(step.options) < 2 or not any(o.right for o in step.options)):
            raise self.fail("option", "at least two options, and one with right = true")
        has_head = None not in (step.given.q, step.given.k, step.given.v)
        if (step.answer or step.bars) and step.given.scores is None and not has_head:
            raise self.fail("answer", "an answer needs given numbers: scores, or q, k and v")
        if (step.explore or step.kind == "see") and step.explore not in EXPLORERS:
            raise self.fail("explore", f"explore must be one of {', '.join(EXPLORERS)}")
        if step.panel and (step.explore != "softmax" or step.panel not in PANELS):
            raise self.fail("panel", f"panel must be one of {', '.join(PANELS)}, with softmax")
        if (step.function or step.kind == "code") and step.function not in NAMES:
            raise self.fail("function", f"function must be one of {', '.join(NAMES)}")
        for name in step.redraw:
            if name not in (*_MATRICES, "hide") or not getattr(step.given, name):
                raise self.fail("redraw", f"redraw names {quoted(name)}, which is not given")
            if name == "hide" and step.given.n_k < 3:
                raise self.fail("redraw", "redraw of hide needs at least three keys")
        for name in set(step.redraw) & set(_MATRICES):
            kinds = {c.value for row in getattr(step.given, name) for c in row if c.text != "-inf"}
            if len(kinds) > len(step.pool):
                raise self.fail(
                    "pool", f"{name} has {len(kinds)} different numbers, more than pool"
                )

    def text(self, data: Mapping[str, Any], name: str) -> str:
        value = data.get(name, "")
        if isinstance(value, int) and not isinstance(value, bool) and name == "at":
            return str(value)
        if not isinstance(value, str):
            raise self.fail(name, f"{name} must be a text in quotes")
        return value.strip()

    def truth(self, data: Mapping[str, Any], name: str) -> bool:
        value = data.get(name, False)
        if not isinstance(value, bool):
            raise self.fail(name, f"{name} is true or false, without quotes")
        return value

    def strings(self, data: Mapping[str, Any], name: str) -> list[str]:
        value = data.get(name, [])
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.fail(name, f"{name} must be a list of texts")
        for text in value:
            _check_text(text, _find(self._lines, name, self._first, self._last))
        return value

    def table(self, data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = data.get(name, {})
        if not isinstance(value, dict):
            raise self.fail(name, f"{name} must be a table")
        return value

    def count(self, data: Mapping[str, Any], name: str, default: int, largest: int) -> int:
        value = data.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
            raise self.fail(name, f"{name} must be a whole number from 0 to {largest}")
        return value

    def pool(self, data: Mapping[str, Any]) -> tuple[float, ...]:
        value = data.get("pool", list(_POOL))
        good = isinstance(value, list) and all(
            isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= 1e6 for v in value
        )
        if not good:
            raise self.fail("pool", "pool must be a list of numbers")
        return tuple(dict.fromkeys(float(v) for v in value))

    def options(self, value: Any) -> tuple[Option, ...]:
        return tuple(
            Option(*self.filled("option", option, "text", "reply"), self.truth(option, "right"))
            for option in self.tables("option", value, _OPTION)
        )

    def wrong(self, value: Any) -> tuple[Wrong, ...]:
        return tuple(
            Wrong(*self.filled("wrong", wrong, *_WRONG))
            for wrong in self.tables("wrong", value, _WRONG)
        )

    def tables(self, owner: str, value: Any, known: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return a list of tables that hold only known names."""
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            raise self.fail(owner, f"{owner} is a list of tables: [[step.{owner}]]")
        for table in value:
            for name in table:
                if name not in known:
                    raise self.fail(name, _unknown(f"[[step.{owner}]]", name, known))
        return value

    def filled(self, owner: str, table: Mapping[str, Any], *names: str) -> list[str]:
        """Return texts of a table, none of which may be empty."""
        texts = [str(table.get(name, "")).strip() for name in names]
        if not all(texts):
            raise self.fail(owner, f"every [[step.{owner}]] needs {' and '.join(names)}")
        for text in texts:
            _check_text(text, _find(self._lines, owner, self._first, self._last))
        return texts

    def given(self, table: str, data: Any) -> GivenTexts:
        if not isinstance(data, dict):
            raise self.fail(table, f"{table} must be a table")
        for name, value in data.items():
            if name not in _GIVEN:
                raise self.fail(name, _unknown(table, name, _GIVEN))
            if not isinstance(value, str):
                raise self.fail(name, f"{name} must be a text in quotes")
        matrices: dict[str, Matrix | None] = {
            name: self.read(name, _matrix, data[name]) if name in data else None
            for name in _MATRICES
        }
        temperature = Temperature("T", "1")
        for name in ("T", "beta"):
            if name in data:
                temperature = self.read(
                    name, lambda text, n=name: read_temperature(n, text), data[name]
                )
        mask = data.get("mask", "")
        if mask not in ("", "causal"):
            raise self.fail("mask", f"mask must be causal or left out; got {quoted(mask)}")
        scale = self.read("scale", _finite, data["scale"]) if "scale" in data else None
        hide = self.read("hide", read_positions, data.get("hide", "").replace(" ", ""))
        found = GivenTexts(temperature=temperature, scale=scale, hide=hide, mask=mask, **matrices)
        self.shapes(table, found)
        return found

    def shapes(self, table: str, found: GivenTexts) -> None:
        q, k, v = found.q, found.k, found.v
        if (q, k, v).count(None) not in (0, 3):
            raise self.fail(table, "q, k and v belong together")
        if q and k and v and (len(q[0]) != len(k[0]) or len(k) != len(v)):
            raise self.fail(table, "the shapes of q, k and v don't fit")
        if found.hide and found.hide[-1] >= found.n_k:
            last = found.n_k - 1
            raise self.fail("hide", f"there is no key {found.hide[-1]}; the last one is {last}")


def _matrix(text: str) -> Matrix:
    return read_cells(text, 16, 16)


def _finite(text: str) -> float:
    try:
        cell = read_number(text)
    except NotNumbers as error:
        raise ValueError(str(error)) from None
    if abs(cell.value) > MAX_SCALE:
        raise ValueError(f"it must lie between −{MAX_SCALE:,.0f} and {MAX_SCALE:,.0f}")
    return cell.value


def _places(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise ValueError(f"places are whole numbers from 0, such as 0 or 0,1; got {quoted(text)}")
    return [int(part) for part in parts]
