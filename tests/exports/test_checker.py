"""The archive of the checker: unpacked somewhere else it checks a file, with NumPy alone."""

import io
import subprocess
import sys
import zipfile

from attnviz.content import code
from attnviz.exports.checker import checker_zip


def test_the_checker_runs_where_it_is_unpacked(tmp_path):
    zipfile.ZipFile(io.BytesIO(checker_zip())).extractall(tmp_path)
    [folder] = tmp_path.iterdir()
    mine = folder / "my_entropy.py"
    command = [sys.executable, "-m", "attnviz.check", mine.name]
    for text, passed in ((code.solution("entropy"), 0), (code.start("entropy"), 1)):
        mine.write_text(text, encoding="utf-8")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (passed, "")
    assert not (folder / "attnviz" / "ui").exists()
    assert len(checker_zip()) < 100_000
