"""The rules between the layers, read from the syntax trees.

`problems` says what a source text of a layer breaks; the package must break nothing, and each
rule is tried on a small module that breaks it.
"""

import ast
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "attnviz"
FILES = sorted(PACKAGE.rglob("*.py"))


@dataclass(frozen=True)
class Layer:
    """What a layer may import beside the standard library, and the rules of its own.

    `packages` are others' packages, `own` are parts of attnviz, `types_from` are parts from which
    only classes may come; each is one text with blanks between the names.
    """

    packages: str
    own: str
    types_from: str = ""
    rules: tuple = ()


def names_used(tree, *, texts=True):
    """Every name of a module: variables, attributes, parameters, imports, and whole texts."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.keyword(arg=str(name)):
                yield name, node.value.lineno
            case ast.Constant(value=str(name)) if texts:
                yield name, node.lineno
            case ast.alias(name=name, asname=alias):
                yield from ((part, node.lineno) for part in (*name.split("."), alias or ""))
            case ast.ImportFrom(module=str(name)):
                yield from ((part, node.lineno) for part in name.split("."))


def root_of(node):
    """The name an expression starts from: `state` for ``state.pick.partition(":")[2]``."""
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                node = inner
            case _:
                return ""
    return node.id


# -- rules of every module ------------------------------------------------------------------------

FORBIDDEN = {
    "eval": "text never becomes code",
    "exec": "text never becomes code",
    "__import__": "imports stand at the top",
    "importlib": "imports stand at the top",
    "pickle": "a pickle is code",
    "allow_pickle": "a pickle is code",
    "unsafe_allow_html": "what a person types is never HTML",
}


def forbidden_names(tree):
    for name, line in names_used(tree):
        if name in FORBIDDEN:
            yield line, f"names {name}: {FORBIDDEN[name]}"


def undocumented(tree):
    """Public functions, classes and methods without a docstring, public ones without types."""

    def public(body, where):
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                if not node.name.startswith("_"):
                    yield node, f"{where}{node.name}"
                    if isinstance(node, ast.ClassDef):
                        yield from public(node.body, f"{where}{node.name}.")
                elif isinstance(node, ast.FunctionDef) and where and node.name == "__init__":
                    yield node, f"{where}{node.name}"

    for node, name in public(tree.body, ""):
        if not ast.get_docstring(node) and not name.endswith("__init__"):
            yield node.lineno, f"{name} has no docstring"
        if isinstance(node, ast.ClassDef):
            continue
        args = node.args
        every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        if "." in name and not any(root_of(d) == "staticmethod" for d in node.decorator_list):
            every = every[1:]  # self
        for arg in every:
            if arg is not None and arg.annotation is None:
                yield node.lineno, f"{name}: parameter {arg.arg} has no type"
        if node.returns is None:
            yield node.lineno, f"{name}: what it returns has no type"


def imports(tree, layer):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _import(node.lineno, alias.name, (), layer)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.lineno, "imports by a relative name"
            else:
                names = tuple(alias.name for alias in node.names)
                yield from _import(node.lineno, node.module, names, layer)


def _import(line, module, names, layer):
    package = module.partition(".")[0]

    def within(parts):
        return any(f"{module}.".startswith(f"{part}.") for part in parts.split())

    if package == "attnviz":
        if within(layer.own):
            return
        if within(layer.types_from):
            for name in names or (module,):
                if not (name[:1].isupper() and not name.isupper()):
                    yield line, f"imports {name} from {module}: only types may come from there"
            return
    elif package in layer.packages.split() or package in sys.stdlib_module_names:
        return
    yield line, f"imports {module}"


# -- rules of some layers -------------------------------------------------------------------------


def only_the_form_knows_the_visit(tree):
    """``query_params=`` of ``st.page_link`` writes another page's address and reads none."""
    in_links = {
        keyword.value.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "page_link"
        for keyword in node.keywords
        if keyword.arg == "query_params"
    }
    for name, line in names_used(tree):
        if name == "session_state" or (name == "query_params" and line not in in_links):
            yield line, f"names {name}: only ui/form.py may"


def plotly_only_as_a_type_or_a_file(tree):
    aliases = {"plotly"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            aliases |= {a.asname for a in node.names if a.asname and a.name.startswith("plotly")}
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("plotly"):
            yield node.lineno, "imports names out of plotly"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and root_of(node.func) in aliases:
            yield node.lineno, f"calls {ast.unparse(node.func)}: figures are made in figures/"
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in aliases
            and node.attr not in ("Figure", "__file__")
        ):
            yield node.lineno, f"uses {ast.unparse(node)}: figures are made in figures/"


LIBRARIES = {"numpy", "np", "plotly", "go", "px", "starlette"}
REDUCTIONS = {"sum", "mean", "max", "min", "argmax", "argmin", "dot", "cumsum", "prod", "std"}


def a_page_computes_nothing(tree):
    """No arithmetic, no reductions, and indexing only of what the state and constants hold.

    ``state.row + 1`` counts for people, who begin at 1: an attribute of the state plus the whole
    number 1 is the one sum that is let through. ``sum`` and ``any`` of a list of booleans count
    keys, and ``~`` turns a mask around.
    """
    from_state = {"state"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            pairs = [(node.targets[0], node.value)]
            if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(node.targets[0].elts, node.value.elts, strict=True)
            from_state |= {
                target.id
                for target, value in pairs
                if isinstance(target, ast.Name) and root_of(value) in from_state
            }
    for name, line in names_used(tree, texts=False):
        if name in LIBRARIES:
            yield line, f"names {name}"
    types = {id(part) for node in ast.walk(tree) for part in annotations_of(node)}
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(
                left=ast.Attribute(value=ast.Name(id="state")),
                op=ast.Add(),
                right=ast.Constant(value=1),
            ):
                pass
            case ast.BinOp() if id(node) in types:
                pass
            case ast.BinOp(op=operator) | ast.AugAssign(op=operator):
                yield node.lineno, f"computes {type(operator).__name__}: {ast.unparse(node)}"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                if not isinstance(operand, ast.Constant):
                    yield node.lineno, f"computes {ast.unparse(node)}"
            case ast.Subscript() if id(node) not in types:
                root = root_of(node)
                if root not in from_state and not (root and root.isupper()):
                    yield node.lineno, f"indexes {ast.unparse(node)}"
            case ast.Call(func=ast.Attribute(attr=name)) if name in REDUCTIONS:
                yield node.lineno, f"computes {ast.unparse(node.func)}"


def annotations_of(node):
    """All that stands in the type of a parameter, of a result or of a name."""
    for name in ("annotation", "returns"):
        if getattr(node, name, None) is not None:
            yield from ast.walk(getattr(node, name))


FORM_KEYS = ("form.key", "self.form.key")


def a_page_makes_no_key(tree):
    """Keys come from ``form.key``, so that two pages never share one."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            called = ast.unparse(getattr(keyword.value, "func", keyword))
            if keyword.arg == "key" and called not in FORM_KEYS:
                yield keyword.value.lineno, f"makes a key: {ast.unparse(keyword.value)}"
        if root_of(node.func) == "parts" and isinstance(node.func, ast.Attribute):
            at = 1 if node.func.attr == "figure" else 0
            for value in node.args[at : at + 1]:
                if not isinstance(value, ast.Call) or ast.unparse(value.func) not in FORM_KEYS:
                    yield node.lineno, f"makes a key: {ast.unparse(value)}"


HIDDEN = (only_the_form_knows_the_visit,)
LAYERS = {
    "__init__": Layer("", "attnviz.core", rules=HIDDEN),
    "core": Layer("numpy", "attnviz.core", rules=HIDDEN),
    "state": Layer("", "attnviz.state attnviz.core", rules=HIDDEN),
    "figures": Layer("numpy plotly", "attnviz.figures", rules=HIDDEN),
    "exports": Layer("numpy", "attnviz.core attnviz.exports", rules=HIDDEN),
    "check": Layer("numpy", "attnviz.core attnviz.check", rules=HIDDEN),
    "content": Layer("numpy", "attnviz.state attnviz.content", "attnviz.core", rules=HIDDEN),
    "ui": Layer(
        "streamlit starlette plotly",
        "attnviz.state attnviz.content attnviz.ui",
        rules=(*HIDDEN, plotly_only_as_a_type_or_a_file),
    ),
    "pages": Layer(
        "streamlit", "attnviz", rules=(*HIDDEN, a_page_computes_nothing, a_page_makes_no_key)
    ),
}
FORM = PACKAGE / "ui" / "form.py"


def problems(layer_name, source, rules=None):
    """What a module of a layer breaks, as sentences with their lines."""
    tree, layer = ast.parse(source), LAYERS[layer_name]
    found = [*forbidden_names(tree), *undocumented(tree), *imports(tree, layer)]
    for rule in layer.rules if rules is None else rules:
        found += rule(tree)
    return [f"line {line} {what}" for line, what in sorted(found)]


def layer_of(path):
    inside = path.relative_to(PACKAGE).parts
    return inside[0] if len(inside) > 1 else path.stem


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_keeps_the_rules_of_its_layer(path):
    rules = LAYERS[layer_of(path)].rules
    if path == FORM:
        rules = tuple(rule for rule in rules if rule is not only_the_form_knows_the_visit)
    assert problems(layer_of(path), path.read_text(encoding="utf-8"), rules) == []


def test_every_layer_was_looked_at():
    assert {layer_of(path) for path in FILES} == set(LAYERS)


def test_the_form_does_name_what_only_it_may():
    found = list(only_the_form_knows_the_visit(ast.parse(FORM.read_text(encoding="utf-8"))))
    assert {what.split()[1] for _, what in found} == {"session_state:", "query_params:"}


def names_the_checker(source):
    return any(f"{module}.".startswith("attnviz.check.") for module in imported(source))


def imported(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_page_and_no_layer_of_the_app_can_run_a_persons_code():
    for path in FILES:
        if layer_of(path) != "check":
            assert not names_the_checker(path.read_text(encoding="utf-8")), path
    for source in ("from attnviz import check", "import attnviz.check.runner as r"):
        assert names_the_checker(source)


@pytest.mark.parametrize(
    ("layer", "source", "word"),
    [
        ("core", "import streamlit", "streamlit"),
        ("core", "import scipy.special", "scipy.special"),
        ("core", "def f() -> None:\n    '''Do.'''\n    import pandas", "pandas"),
        ("core", "from attnviz.state import numbers", "attnviz.state"),
        ("core", "from . import softmax", "relative"),
        ("__init__", "from attnviz.state.softmax import SoftmaxState", "attnviz.state"),
        ("state", "import numpy as np", "numpy"),
        ("state", "import streamlit as st", "streamlit"),
        ("state", "from attnviz.content.softmax import PRESETS", "attnviz.content"),
        ("state", "import attnviz.corellary", "attnviz.corellary"),
        ("figures", "from attnviz.state.softmax import SoftmaxState", "attnviz.state"),
        ("figures", "from attnviz.core.softmax import softmax", "attnviz.core"),
        ("figures", "import streamlit", "streamlit"),
        ("exports", "from attnviz.content.shown import shown", "attnviz.content"),
        ("exports", "import plotly", "plotly"),
        ("check", "from attnviz.content.code import start", "attnviz.content"),
        ("check", "import streamlit", "streamlit"),
        ("content", "import plotly.graph_objects as go", "plotly"),
        ("content", "import streamlit", "streamlit"),
        ("content", "from attnviz.core.softmax import softmax", "only types"),
        ("content", "from attnviz.core import MASKS", "only types"),
        ("content", "import attnviz.core.steps", "only types"),
        ("content", "from attnviz import softmax", "imports attnviz"),
        ("content", "from attnviz.ui.parts import facts", "attnviz.ui"),
        ("ui", "import numpy as np", "numpy"),
        ("ui", "from attnviz.core.softmax import softmax", "attnviz.core"),
        ("ui", "from attnviz.figures.softmax import weight_bars", "attnviz.figures"),
        ("ui", "import plotly.graph_objects as go\nx = go.Figure()", "calls go.Figure"),
        ("ui", "import plotly.graph_objects as go\nx = go.Bar", "uses go.Bar"),
        ("ui", "from plotly.graph_objects import Figure", "out of plotly"),
        ("ui", "import streamlit as st\nst.session_state['a'] = 1", "session_state"),
        ("ui", "import streamlit as st\nx = getattr(st, 'query_params')", "query_params"),
        ("pages", "import streamlit as st\nst.query_params.clear()", "query_params"),
        ("pages", "from streamlit import session_state", "session_state"),
        ("pages", "import numpy as np", "numpy"),
        ("pages", "x = np.exp", "names np"),
        ("pages", "import plotly.graph_objects as go", "plotly"),
        ("pages", "x = go.Figure", "names go"),
        ("pages", "x = weights / total", "computes Div"),
        ("pages", "x = weights + 1", "computes Add"),
        ("pages", "x = state.row + 2", "computes Add"),
        ("pages", "x = q @ k", "computes MatMult"),
        ("pages", "x = scores * beta", "computes Mult"),
        ("pages", "x = scores - scores", "computes Sub"),
        ("pages", "x = a & b", "computes BitAnd"),
        ("pages", "total += 1", "computes Add"),
        ("pages", "x = -row.scores", "computes -row.scores"),
        ("pages", "x = row.weights[0]", "indexes row.weights[0]"),
        ("pages", "labels = ('a',)\nx = labels[0]", "indexes labels[0]"),
        ("pages", "x = row.weights.sum()", "computes row.weights.sum"),
        ("pages", "st.button('a', key='b')", "makes a key: 'b'"),
        ("pages", "st.button('a', key=f'b{state.row}')", "makes a key"),
        ("pages", "st.button('a', key=NAME)", "makes a key: NAME"),
        ("pages", "parts.table('a', {})", "makes a key: 'a'"),
        ("pages", "parts.figure(figure, 'a', alt='', name='')", "makes a key: 'a'"),
        ("state", "x = eval('1')", "names eval"),
        ("core", "exec('1')", "names exec"),
        ("exports", "import pickle", "names pickle"),
        ("exports", "from numpy import load\nx = load('a', allow_pickle=True)", "allow_pickle"),
        ("ui", "import streamlit as st\nst.markdown('', unsafe_allow_html=True)", "unsafe"),
        ("state", "import importlib\nx = importlib.import_module('plotly')", "importlib"),
        ("core", "def f() -> None:\n    pass", "f has no docstring"),
        ("core", "class A:\n    pass", "A has no docstring"),
        ("core", "class A:\n    '''A.'''\n    def f(self) -> None:\n        pass", "A.f has no"),
        ("core", "def f(x) -> None:\n    '''Do.'''", "parameter x has no type"),
        ("core", "def f(*, x) -> None:\n    '''Do.'''", "parameter x has no type"),
        ("core", "def f(**x) -> None:\n    '''Do.'''", "parameter x has no type"),
        ("core", "def f(x: int):\n    '''Do.'''", "returns has no type"),
        ("core", "class A:\n    '''A.'''\n    def __init__(self, x) -> None: pass", "parameter x"),
    ],
)
def test_a_module_that_breaks_a_rule_is_found(layer, source, word):
    assert any(word in problem for problem in problems(layer, source))


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("core", "from __future__ import annotations\nimport math\nimport numpy as np"),
        ("content", "from attnviz.core.steps import SoftmaxSteps"),
        ("state", "from attnviz.core.masks import MASKS"),
        ("ui", "import plotly.graph_objects as go\ndef f(x: go.Figure) -> None:\n    '''Do.'''"),
        ("ui", "import plotly\nx = plotly.__file__"),
        ("pages", "import streamlit as st\nst.page_link('a', query_params={'T': '2'})"),
        ("pages", "st.markdown(f'query {state.row + 1}')"),
        ("pages", "labels = state.key_labels\nx = labels[state.row]\nDRAW[state.panel]()"),
        ("pages", "b, labels = state.b, state.key_labels\nx = labels[0]"),
        ("pages", "x = state.pick.partition(':')[2]\ny = ~row.allowed\nz = sum(seen)"),
        ("pages", "st.button('a', key=form.key('b'))\nparts.table(form.key('c'), {})"),
        (
            "pages",
            "def _f(self: Form[State]) -> list[int]:\n    parts.table(self.form.key('c'), {})",
        ),
        ("pages", "def _f(self):\n    state = self.state\n    x = state.scores[0]"),
        ("core", "def _f(x):\n    pass\n\nclass _A:\n    pass"),
        ("core", "def f() -> None:\n    '''Do.'''\n    def g(y):\n        return y"),
    ],
)
def test_what_the_rules_mean_to_allow_is_allowed(layer, source):
    assert problems(layer, source) == []
