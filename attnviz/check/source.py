"""The person's file as text: whether it is Python, and which of the functions it defines."""

import ast
import warnings
from pathlib import Path

from attnviz.check.cases import TASKS

MOST_BYTES = 1_000_000


class Unreadable(Exception):
    """The file can't be checked; the text is a sentence for the person."""


def functions_of(path: Path) -> list[str]:
    """Return which functions a file defines. The file is read, not run.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of str
        Names of `TASKS`, in the order of the tasks; empty where the file defines none of them.

    Raises
    ------
    Unreadable
        If there is no such file, or it isn't a file of Python text of at most 1 MB.
    """
    tree = _parsed(path, _bytes_of(path))
    defined = set()
    for node in _top_level(tree.body):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                defined.add(name)
            case ast.Assign(targets=targets, value=ast.Lambda()):
                defined |= {target.id for target in targets if isinstance(target, ast.Name)}
    return [name for name in TASKS if name in defined]


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.exists():
            raise Unreadable(f"There is no file {path}.")
        if path.is_dir():
            raise Unreadable(f"{path} is a folder. Name one Python file.")
        if not path.is_file():
            raise Unreadable(f"{path} isn't a plain file.")
        if path.stat().st_size > MOST_BYTES:
            raise Unreadable(f"{path} is larger than 1 MB. A file of functions is much smaller.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Unreadable(f"{path} can't be read: {reason}.") from None
    if b"\0" in data:
        raise Unreadable(f"{path} isn't a text file.")
    return data


def _parsed(path: Path, data: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        if "codec can't decode" in error.msg or "unknown encoding" in error.msg:
            raise Unreadable(f"{path} isn't a text file in UTF-8.") from None
        at = f", line {error.lineno}" if error.lineno else ""
        text = f"\n    {error.text.strip()}" if error.text and error.text.strip() else ""
        raise Unreadable(f"{path.name}{at}: {error.msg}{text}") from None
    except (RecursionError, MemoryError, ValueError):
        raise Unreadable(f"{path} can't be read as Python: it is nested too deeply.") from None


def _top_level(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements of the module, also those under ``if`` and ``try``."""
    found = []
    for node in body:
        found.append(node)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With):
                found += _top_level(getattr(node, name, []))
        for handler in getattr(node, "handlers", []):
            found += _top_level(handler.body)
    return found
