"""The checker of a person's own functions as an archive: the core and the checker, nothing else."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_FOLDER = "attnviz-check"
_PARTS = ("core", "check")
_README = """Put your file, such as my_softmax.py, into this folder and run here

    python -m attnviz.check my_softmax.py

It needs Python 3.11 or newer and NumPy (python -m pip install numpy).
"""


@cache
def checker_zip() -> bytes:
    """Return the archive; it holds what ``python -m attnviz.check`` needs beside NumPy.

    Returns
    -------
    bytes
        A ZIP file with one folder in it.
    """
    files = [_PACKAGE / "__init__.py"]
    for part in _PARTS:
        files += sorted((_PACKAGE / part).glob("*.py"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            inside = path.relative_to(_PACKAGE.parent).as_posix()
            archive.write(path, f"{_FOLDER}/{inside}")
        archive.writestr(f"{_FOLDER}/README.txt", _README)
    return packed.getvalue()
