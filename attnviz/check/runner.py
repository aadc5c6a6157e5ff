"""One case in a fresh process, with a time limit and a bound on what it prints."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

from attnviz.check.child import ANSWER, LOADED, WATCH
from attnviz.check.outcome import Outcome, unpacked

#: What a slow machine may take to start Python and NumPy, beside the person's own seconds.
START_SECONDS = 20.0

_ROOT = str(Path(__file__).resolve().parents[2])
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from attnviz.check.child import main; main()"


def ask(path: Path, function: str, index: int, seconds: float) -> Outcome:
    """Run one case of one function in a process of its own.

    Parameters
    ----------
    path : Path
        The person's file.
    function : str
        A name of ``cases.TASKS``.
    index : int
        Which case, from 0.
    seconds : float
        Time limit of loading and calling together.

    Returns
    -------
    Outcome
        Always: whatever the person's code does is an outcome. Nothing it started is left running,
        unless it left the process group.
    """
    file = str(path.resolve())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        told = (_ROOT, file, function, str(index), str(seconds), folder)
        process = subprocess.Popen(
            # -P: a file in the current folder must not stand in for one of the library.
            # Warnings aren't prints: NumPy's would be reported as if the person had printed.
            [sys.executable, "-P", "-W", "ignore", "-c", _BOOT, *told],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONIOENCODING": "utf-8:replace", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        drain = _Drain(process.stdout)
        try:
            process.wait(seconds + START_SECONDS)
            late = False
        except subprocess.TimeoutExpired:
            late = True
        finally:
            _end(process)
            drain.join(1.0)
        return _read(Path(folder), file, process.returncode, late, drain.count > 0)


class _Drain(threading.Thread):
    """Read whatever comes, so that nobody waits for a full pipe, and keep only its length."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.stream, self.count = stream, 0
        self.start()

    def run(self) -> None:
        with self.stream, contextlib.suppress(OSError, ValueError):
            while block := os.read(self.stream.fileno(), 1 << 16):
                self.count += len(block)


def _end(process: subprocess.Popen) -> None:
    """End the process and what it started."""
    if sys.platform == "win32":
        if process.poll() is None:
            command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(command, capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(folder: Path, file: str, code: int, late: bool, printed: bool) -> Outcome:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return unpacked(json.loads((folder / ANSWER).read_bytes()), printed=printed)
    loaded = (folder / LOADED).exists()
    watch = (
        (folder / WATCH).read_text(encoding="utf-8", errors="replace")
        if (folder / WATCH).exists()
        else ""
    )
    if late or watch.startswith("Timeout"):
        found = re.search(rf'File "{re.escape(file)}", line (\d+)', watch)
        line = int(found[1]) if found else None
        return Outcome("late", line=line, loaded=loaded, printed=printed)
    return Outcome("died", text=_ending(code), loaded=loaded, printed=printed)


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
