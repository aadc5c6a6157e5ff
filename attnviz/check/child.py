"""The fresh process: load a person's file, call one function on one case, write down the answer."""

import ast
import faulthandler
import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from attnviz.check.cases import TASKS
from attnviz.check.outcome import MOST_TEXT, packed

#: Files of the folder through which the answer goes back.
ANSWER, LOADED, WATCH = "answer.json", "loaded", "watch.txt"

_NUMPY = str(Path(np.__file__).parent)


def main() -> None:
    """Do what the command line says: root, file, function, number of the case, seconds, folder."""
    root, path, function, index, seconds, into = sys.argv[1:]
    folder = Path(into)
    sys.path.remove(root)  # at the end of the path it hides no one's modules
    sys.path.append(root)
    sys.path.insert(0, str(Path(path).parent))
    sys.argv[:] = [path]
    sys.dont_write_bytecode = True
    with open(folder / WATCH, "w", encoding="utf-8") as watch:
        # Counts from here, so a slow start of Python takes nothing from the person's time. It
        # ends the process even inside one long NumPy call, and writes down where it was.
        faulthandler.dump_traceback_later(float(seconds), exit=True, file=watch)
        answer = answer_of(path, function, int(index), (folder / LOADED).touch)
        draft = folder / "draft.json"
        draft.write_text(json.dumps(answer), encoding="utf-8")
        draft.replace(folder / ANSWER)
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        os._exit(0)  # waits for none of the person's threads


def answer_of(
    path: str, function: str, index: int, loaded: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """Load a file and call one of its functions on one case.

    Parameters
    ----------
    path : str
        The person's file.
    function : str
        A name of `TASKS`.
    index : int
        Which case of the task, from 0.
    loaded : callable
        Called once the file is loaded.

    Returns
    -------
    dict
        Plain data for ``outcome.unpacked``.
    """
    try:
        names = runpy.run_path(path, run_name=Path(path).stem)
    except BaseException as error:
        return _raised(error, path) | {"loaded": False}
    loaded()
    called = names.get(function)
    if not callable(called):
        return {"kind": "strange", "text": f"no function {function}", "loaded": False}
    task = TASKS[function]
    args, named = task.cases[index].arguments()
    given = dict(zip(task.parameters, (*args, *named.values()), strict=False))
    before = {name: value.copy() for name, value in given.items()}
    try:
        answer = packed(called(*args, **named), pair=task.pair)
    except BaseException as error:
        answer = _raised(error, path)
    changed = [name for name in given if not _same(given[name], before[name])]
    return answer | {"changed": changed}


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def _raised(error: BaseException, path: str) -> dict[str, Any]:
    try:
        text = str(error)[:MOST_TEXT]
    except Exception:
        text = ""
    line, by_hand = _where(error.__traceback__, path)
    names = [cls.__name__ for cls in type(error).__mro__]
    return {"kind": "raised", "names": names, "text": text, "line": line, "by_hand": by_hand}


def _where(trace: TracebackType | None, path: str) -> tuple[int | None, bool]:
    """Return the last line of the person's file, and whether a ``raise`` was meant.

    NumPy's own complaint about a shape is a ValueError too; what counts as meant is a ``raise`` in
    the person's file, or in a module that it calls.
    """
    line, last = None, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(_NUMPY):
            last = file
        if file == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    if last != path or line is None:
        return line, line is not None
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError):
        return line, False
    raises = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return line, any(node.lineno <= line <= (node.end_lineno or 0) for node in raises)
