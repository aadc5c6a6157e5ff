import os

import pytest

from attnviz.check.source import MOST_BYTES, Unreadable, functions_of
from tests.check.files import written


def refused(path):
    with pytest.raises(Unreadable) as caught:
        functions_of(path)
    return str(caught.value)


def test_the_functions_are_found_without_running_the_file(tmp_path):
    text = (
        "from attnviz import naive_softmax\nentropy = lambda w: 0\nraise SystemExit\n"
        "try:\n    import numpy\nexcept ImportError:\n    pass\nelse:\n"
        "    def softmax(x): pass\ndef other(): \n    def attention(): pass\n"
        "rows_normalised = 3\n"
    )
    assert functions_of(written(tmp_path, text)) == ["softmax", "entropy"]


def test_a_file_that_does_not_parse_is_told_with_its_line(tmp_path):
    found = refused(written(tmp_path, "import numpy\n\ndef softmax(x)\n    return x\n"))
    assert found.startswith("mine.py, line 3: ")
    assert "def softmax(x)" in found


def test_what_is_not_a_python_file_is_told_in_a_sentence(tmp_path):
    assert "There is no file" in refused(tmp_path / "none.py")
    assert "folder" in refused(tmp_path)
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\0")
    assert "isn't a text file" in refused(tmp_path / "binary.py")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    assert "UTF-8" in refused(tmp_path / "latin.py")
    (tmp_path / "large.py").write_bytes(b"#" * (MOST_BYTES + 1))
    assert "1 MB" in refused(tmp_path / "large.py")
    assert "nested too deeply" in refused(written(tmp_path, "(" * 199 + "-" * 90_000 + "1"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    assert "plain file" in refused(tmp_path / "pipe.py")


def test_an_encoding_that_the_file_declares_is_kept_and_warnings_stay_silent(tmp_path, recwarn):
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\ndef softmax(x):\n    '\xe9 \\s'\n")
    assert functions_of(tmp_path / "latin.py") == ["softmax"]
    assert not recwarn.list
