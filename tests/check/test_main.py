"""The whole command: most of it in this process, what needs a process of its own in few of them."""

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import attnviz
from attnviz.check.__main__ import main
from attnviz.check.cases import TASKS
from attnviz.check.outcome import Outcome
from attnviz.check.runner import ask
from attnviz.content.code import NAMES, solution, start
from tests.check.files import here, written

ROOT = Path(attnviz.__file__).parents[1]


def command(*arguments, **env):
    return subprocess.run(
        [sys.executable, "-m", "attnviz.check", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | env,
    )


def test_the_command_passes_a_solution_and_says_so(tmp_path):
    run = command(written(tmp_path, solution("entropy")))
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith("mine.py: entropy\n\nok    two equal weights\n")
    assert run.stdout.endswith("\n7 of 7 cases pass.\n")


def test_a_report_that_nobody_reads_to_its_end_is_no_error(tmp_path):
    mine = written(tmp_path, solution("entropy"))
    line = [sys.executable, "-u", "-m", "attnviz.check", str(mine)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(line, cwd=ROOT, **pipes) as run:
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 1


def test_the_command_fails_every_template_after_one_case(tmp_path):
    run = command(written(tmp_path, "\n\n".join(map(start, NAMES))))
    assert run.returncode == 1
    assert run.stdout.count("Likely reason: the function isn't written yet.") == len(NAMES)
    assert re.search(r"\n0 of \d+ cases pass. \d+ were not run.\n$", run.stdout)
    assert run.stderr == ""


@pytest.mark.parametrize("name", NAMES)
def test_every_solution_passes_every_case(tmp_path, capsys, name):
    assert main([str(written(tmp_path, solution(name)))], here) == 0
    assert f"{len(TASKS[name].cases) + 1} of" in capsys.readouterr().out


def test_a_failure_shows_input_result_expectation_and_reason(tmp_path, capsys):
    text = (
        "import numpy as np\n"
        "def softmax(x):\n"
        "    with np.errstate(all='ignore'):\n"
        "        return np.exp(x) / np.exp(x).sum(-1)[..., None]\n"
    )
    assert main([str(written(tmp_path, text))], here) == 1
    out = capsys.readouterr().out
    assert (
        "FAIL  scores of 1000\n"
        "      input     x = np.array([1000.0, 1000.0])\n"
        "      came      [nan, nan]\n"
        "      expected  [0.5, 0.5]\n"
        "      Likely reason: the maximum isn't subtracted"
    ) in out
    assert "\n8 of 14 cases pass.\n" in out
    assert out.isascii()


def test_a_function_that_changes_its_input_is_found(tmp_path, capsys):
    text = solution("entropy").replace(
        "    some", "    w[0] = w[0] + 0.0\n    w[:] = w[::-1]\n    some"
    )
    assert main([str(written(tmp_path, text))], here) == 1
    out = capsys.readouterr().out
    assert "Your function changes its input w." in out
    assert "6 of 7 cases pass." in out


def test_a_file_with_none_of_the_functions_is_told_their_names(tmp_path, capsys):
    assert main([str(written(tmp_path, "x = 1"))], here) == 2
    assert f"defines none of the functions {', '.join(NAMES)}." in capsys.readouterr().out
    assert main([str(written(tmp_path, "x = 1")), "--function", "softmax"], here) == 2
    assert "it has no function softmax" in capsys.readouterr().out
    assert main([str(tmp_path / "none.py")], here) == 2


def test_a_file_that_fails_while_it_is_loaded_is_told_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    for line, words in (
        ("import nothing_of_this_name", "line 1: ModuleNotFoundError"),
        ("import sys; sys.exit(3)", "ends the program"),
        ("input()", "asks for input()"),
    ):
        assert main([str(written(tmp_path, f"{line}\ndef softmax(x): pass"))], here) == 2
        out = capsys.readouterr().out
        assert words in out
        assert "No case could be run." in out


def test_an_exception_is_told_with_its_line(tmp_path, capsys):
    text = "def entropy(w):\n    if len(w) == 4:\n        w.nothing\n    return 0\n"
    assert main([str(written(tmp_path, text))], here) == 1
    out = capsys.readouterr().out
    assert "came      AttributeError in line 3: 'numpy.ndarray' object has no" in out


def test_two_cases_in_a_row_that_run_out_of_time_end_the_run(tmp_path, capsys):
    asked = []

    def late(path, function, index, seconds):
        asked.append(index)
        return Outcome("late", line=2)

    assert main([str(written(tmp_path, "def softmax(x): pass"))], late) == 1
    out = capsys.readouterr().out
    assert asked == [0, 1]
    assert "still running in line 2" in out
    assert "Two cases in a row ran out of time" in out
    assert "0 of 14 cases pass. 12 were not run." in out


def test_seconds_must_be_a_time(tmp_path, capsys):
    for text in ("0", "-1", "nan", "soon"):
        with pytest.raises(SystemExit) as caught:
            main([str(tmp_path), "--seconds", text])
        assert caught.value.code == 2


# -- what needs a process -------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the child in /proc")
def test_an_endless_loop_is_ended_with_its_children_and_its_line_is_known(tmp_path):
    text = (
        "import subprocess, sys\n"
        "def softmax(x):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(50)'])\n"
        f"    open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "    while True:\n"
        "        print('x' * 100000)\n"
    )
    outcome = ask(written(tmp_path, text), "softmax", 0, 1.0)
    assert (outcome.kind, outcome.loaded, outcome.printed) == ("late", True, True)
    assert outcome.line in (5, 6)
    pid = (tmp_path / "pid").read_text()
    stat = Path(f"/proc/{pid}/stat")

    def ended():
        try:
            return stat.read_text().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            return True

    end = time.monotonic() + 20  # a signal takes its time on a busy machine
    while not ended() and time.monotonic() < end:
        time.sleep(0.05)
    assert ended()


def test_much_print_does_not_disturb_the_answer(tmp_path):
    text = (
        "import os, sys, warnings\n"
        "def entropy(w):\n"
        "    for _ in range(300):\n        os.write(1, b'x' * 100000)\n"
        "    sys.stdout = None\n    return 0.25\n"
    )
    outcome = ask(written(tmp_path, text), "entropy", 0, 20.0)
    assert (outcome.kind, outcome.printed) == ("value", True)
    assert outcome.parts[0] == 0.25


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("os.abort()", "died", "SIGABRT"),
        ("os._exit(0)", "died", "exit code 0"),
        ("sys.exit(0)", "raised", ""),
        ("input()", "raised", "EOF"),
    ],
)
def test_an_end_of_the_process_is_an_outcome(tmp_path, line, kind, words):
    text = f"import os, sys\ndef softmax(x):\n    {line}\n"
    outcome = ask(written(tmp_path, text), "softmax", 0, 20.0)
    assert (outcome.kind, outcome.printed) == (kind, False)
    assert words in outcome.text


def test_modules_beside_the_file_are_found_and_a_numpy_beside_it_does_no_harm(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    written(tmp_path, "raise SystemExit", "numpy.py")
    written(tmp_path, "def helped(w):\n    return 0.5", "beside_mine.py")
    text = (
        "import numpy, warnings\nfrom beside_mine import helped\n"
        "def entropy(w):\n    numpy.log(w * 0)\n    return helped(w)\n"
    )
    outcome = ask(written(tmp_path, text), "entropy", 0, 20.0)
    assert (outcome.kind, outcome.printed) == ("value", False)
    assert not (tmp_path / "__pycache__").exists()


def test_a_console_without_the_letters_still_gets_the_report(tmp_path):
    text = "def softmax(x):\n    raise ValueError('√ ≤')\n"
    run = command(written(tmp_path, "\n" + text + "λ = 1\nraise OSError('λ')", "λ.py"),
                  PYTHONIOENCODING="cp1252")  # fmt: skip
    assert run.returncode == 2
    assert "?.py, line 5: OSError: ? while the file is loaded." in run.stdout
