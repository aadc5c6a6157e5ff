import ast

import pytest

from attnviz.check.cases import TASKS
from attnviz.content import code


def test_the_texts_are_of_the_functions_that_are_checked():
    assert set(code.NAMES) == set(TASKS)


@pytest.mark.parametrize("name", code.NAMES)
def test_template_and_solution_define_their_function_with_the_same_parameters(name):
    def parameters(text):
        (function,) = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
        assert function.name == name
        assert ast.get_docstring(function)
        return ast.unparse(function.args)

    assert parameters(code.start(name)) == parameters(code.solution(name))
    assert "raise NotImplementedError" in code.start(name)
    assert len(code.start(name)) > len(code.solution(name)) / 2


def test_another_name_is_a_key_error():
    for text in (code.start, code.solution):
        with pytest.raises(KeyError):
            text("../start")
