"""The attention page, from what a person types or opens to the number that is drawn."""

import csv
import io
import itertools
import json
import math
import subprocess
import sys
from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import pytest

from attnviz.content import attention_words as words
from attnviz.content import softmax as softmax_words
from attnviz.content.attention import PRESETS, preset_states, random_state
from attnviz.exports.attention import read_json, read_table_csv
from attnviz.state.attention import PANELS, PIPELINE, POLICIES, STAGES, AttentionState
from attnviz.state.links import read_file, write_file, write_list
from attnviz.state.matrix import values_of
from tests.core.cases import GOLDEN
from tests.pages.driver import Visit
from tests.pages.test_softmax import NASTY, as_number, drawn, markdown_of

INF = math.inf
WORKED = GOLDEN["attention"][0]
WORKED_LINK = "?q=1,0&k=1,0;0,1&v=2,0;0,2"
Q, K, V = ([[1, 0]], [[1, 0], [0, 1]], [[2, 0], [0, 2]])
ALWAYS = ("q", "k", "v", "temperature", "stages", "steps", "bars", "gather")


class Head(Visit):
    """A visit to the attention page, with what its own editors send."""

    def __init__(self, link=""):
        super().__init__("attention", link)

    # -- what a visitor does

    def write(self, name, *rows, **more):
        """Type whole cells of Q, K or V, one text a row; labels stay where none are given."""
        shown = self.data(name)
        cells = [row.split() for row in rows] or shown["cells"]
        names = shown["rowLabels"][: len(cells)]
        names += [f"{shown['rowLetter']}{i + 1}" for i in range(len(names), len(cells))]
        return self.edit(name, **({"cells": cells, "names": names} | more))

    def text(self, name, text, **more):
        """Type a matrix as one text."""
        return self.write(name, text=text, **more)

    def offered(self, name, words):
        """Press the button below a matrix whose words begin like this."""
        choices = self.data(name)["choices"]
        [choice] = [choice for choice in choices if choice["say"].startswith(words)]
        return self.text(name, choice["text"], **({"fix": True} if choice.get("fix") else {}))

    def remove(self, name, what, at):
        """Press the × of a row or of a column."""
        shown = self.data(name)
        cells, names = [list(row) for row in shown["cells"]], list(shown["rowLabels"])
        if what == "row":
            del cells[at], names[at]
        else:
            for row in cells:
                del row[at]
        return self.edit(name, cells=cells, names=names, removed=[what, at])

    def toggle(self, row, column):
        """Click a cell of “Masked”."""
        return self.edit("stages", toggle=[row, column])

    def choose(self, stage, row, column):
        """Click a cell, or a label, for which the other place is None."""
        return self.edit("stages", stage=stage, at=[row, column])

    # -- what a visitor sees

    def stage(self, name, part="stages"):
        """Return what a stage was given to draw."""
        return next(stage for stage in self.data(part)["stages"] if stage["id"] == name)

    def texts(self, name, part="stages"):
        """Return the texts in the cells of a stage."""
        return self.stage(name, part)["texts"]

    def numbers(self, name, part="stages"):
        """Return the texts of a stage as numbers."""
        return [[as_number(text) for text in row] for row in self.texts(name, part)]

    def matrix(self, name):
        """Return the texts in the cells of an editor."""
        return self.data(name)["cells"]

    @property
    def hidden(self):
        """The cells (query, key) that are drawn as masked."""
        rows = self.stage("masked")["masked"]
        return {(i, j) for i, row in enumerate(rows) for j, on in enumerate(row) if on}

    @property
    def captions(self):
        return [caption.value for caption in self.at.caption]


def by_hand(q, k, v, hidden=(), *, scale=None, beta=1.0, empty=0.0):
    """Return weights and output as a student computes them with a calculator."""
    scale = 1 / math.sqrt(len(q[0])) if scale is None else scale
    weights = []
    for i, query in enumerate(q):
        scores = [
            -INF if (i, j) in hidden else scale * math.fsum(map(lambda a, b: a * b, query, key))
            for j, key in enumerate(k)
        ]
        top = max(scores)
        exps = [0.0 if s == -INF else math.exp(beta * (s - top)) for s in scores]
        total = math.fsum(exps)
        weights.append([e / total if total else empty for e in exps])
    columns = list(zip(*v, strict=True))
    output = [
        [math.fsum(map(lambda a, b: a * b, row, column)) for column in columns] for row in weights
    ]
    return weights, output


def near(rows):
    """Compare with texts of three decimals, or of three digits where they are small."""
    return [pytest.approx(row, abs=6e-4) for row in rows]


def shows(page, q, k, v, hidden=(), **options):
    """Check the weights, the output, the bars and the gathered output of the chosen query."""
    weights, output = by_hand(q, k, v, hidden, **options)
    assert page.numbers("weights") == near(weights)
    assert page.numbers("output") == near(output)
    row = page.data("stages")["query"]
    assert page.bars.tolist() == pytest.approx(weights[row], rel=1e-13, abs=1e-300)
    foot = [as_number(text) for text in page.foot("gather")]
    assert foot == pytest.approx([1, *output[row]][: len(foot)], abs=6e-5, rel=6e-5)
    return page


@pytest.fixture
def page():
    """The page without a link: the worked example."""
    return Head()


def four(**fields):
    """Open a head of 4 queries and 4 keys, all numbers different."""
    return Head("?" + urlencode({"preset": "random-0", **fields}))


FOUR = tuple([list(row) for row in values_of(m)] for m in (random_state(0).q, random_state(0).k,
             random_state(0).v))  # fmt: skip


# -- the worked example ---------------------------------------------------------------------------


@pytest.mark.parametrize("link", [WORKED_LINK, "?preset=worked-example", ""])
def test_the_worked_example_opens_with_every_step_of_its_arithmetic(link):
    page = Head(link)
    assert page.warnings == []
    assert page.texts("scores") == [["1", "0"]]
    assert page.texts("scaled") == [["0.707", "0"]]
    assert page.stage("scaled")["title"] == "Scaled QKᵀ/√d_k = QKᵀ · 0.7071"
    assert page.texts("weights") == [["0.670", "0.330"]]
    assert page.texts("values") == [["2", "0"], ["0", "2"]]
    assert page.texts("output") == [["1.340", "0.660"]]
    assert page.column("score", "steps") == ["0.7071", "0"]
    assert page.column("shifted", "steps") == ["0", "−0.7071"]
    assert page.column("exp", "steps") == ["1", "0.4931"]
    assert page.column("weight", "steps") == ["0.6698", "0.3302"]
    assert page.foot("steps") == ["", "", "", "1.4931", "1"]
    assert page.cells("gather") == [
        ["0.6698", "0.670 · 2 = 1.340", "0.670 · 0 = 0"],
        ["0.3302", "0.330 · 0 = 0", "0.330 · 2 = 0.660"],
    ]
    assert page.foot("gather") == ["1", "1.3395", "0.6605"]
    assert page.bars.tolist() == drawn(WORKED["weights"][0])
    assert page.data("bars")["alt"] == "Weights at β = 1: k1 0.6698, k2 0.3302."


def test_the_link_of_the_worked_example_stays_as_it_was_typed():
    assert Head(WORKED_LINK).link == {"q": "1,0", "k": "1,0;0,1", "v": "2,0;0,2"}


@pytest.mark.parametrize(
    "link", [WORKED_LINK + "&mask=causal&align=top-left", "?preset=worked-example-causal"]
)
def test_the_causal_variant_leaves_the_first_key_and_its_value(link):
    page = Head(link)
    assert page.texts("masked") == [["0.707", "masked"]]
    assert page.hidden == {(0, 1)}
    assert page.texts("weights") == [["1", "0"]]
    assert page.texts("output") == [["2", "0"]]
    assert page.foot("gather") == ["1", "2", "0"]
    assert page.column("weight", "steps") == ["1", "0 (masked)"]
    assert page.cells("gather")[1] == ["0 (masked)", "0", "0"]
    assert page.bars.tolist() == [1, 0]
    assert page.stage("masked")["note"] == "1 of 2 cells hidden."
    assert page.stage("weights")["masked"] == [[False, True]]
    assert page.warnings == []


def test_aligned_bottom_right_the_one_query_stands_at_the_last_key_and_sees_both(page):
    page.set("mask", ["causal"])
    assert page.hidden == set()
    assert page.stage("masked")["note"] == "None of 2 cells hidden."
    page.set("align", "top-left")
    assert page.texts("output") == [["2", "0"]]
    assert page.link == {"mask": "causal", "align": "top-left"}


# -- presets and panels ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_opens_by_its_link_and_panels_draw_its_numbers(name):
    preset, page = PRESETS[name], Head(f"?preset={name}")
    state = preset.state
    assert page.link == {"preset": name}
    assert page.said("lines")[0] == preset.say
    q, k, v = (values_of(matrix) for matrix in (state.q, state.k, state.v))
    weights, output = by_hand(q, k, v, page.hidden, scale=state.scale_value)
    assert page.numbers("weights") == near(weights)
    assert page.numbers("output") == near(output)
    if page.has("bars"):
        assert page.bars.tolist() == pytest.approx(weights[state.row], rel=1e-9, abs=1e-12)
    empty = [i for i in range(state.n_q) if not any(weights[i])]
    parts = {"entropy": "entropies", "received": "received", "compare": None, "export": "heatmap"}
    first = list(PRESETS).index(name)  # beside its own panel two others, which change
    others = itertools.islice(itertools.cycle(PANELS), first, first + 2)
    for panel in [state.panel, *(p for p in others if p != state.panel)]:
        if panel != page.widget("panel").value:
            page.set("panel", panel)
        on = parts.get(panel, "policies" if empty else None)
        assert [part for part in (*parts.values(), "policies") if part and page.has(part)] == (
            [on] if on else []
        )
        assert [note for note in page.warnings if "no allowed key" not in note] == []
        assert (words.NO_EMPTY_ROW in page.captions) == (panel == "policies" and not empty)
        if panel == "entropy":
            nats = [-math.fsum(w * math.log(w) for w in row if w) for row in weights]
            nats = [math.nan if i in empty else n for i, n in enumerate(nats)]
            bars = page.figure("entropy")["data"][0]["x"].tolist()
            assert bars == pytest.approx(nats, rel=1e-9, abs=1e-12, nan_ok=True)
        if panel == "received":
            totals = [math.fsum(column) for column in zip(*weights, strict=True)]
            assert page.figure("received")["data"][0]["y"].tolist() == pytest.approx(totals)
        if panel == "export":
            assert len(page.at.code) == (2 if state.row is None else 3)
            z = page.figure("heatmap")["data"][0]["z"]
            z = np.where(page.stage("weights")["masked"], 0, np.nan_to_num(np.asarray(z, float)))
            assert z.tolist() == [pytest.approx(row, abs=1e-12) for row in weights]


@pytest.mark.parametrize("name", ["worked-example", "lookup", "minilm-it-animal", "random-0"])
def test_a_preset_is_one_click_and_a_change_of_it_is_said(name):
    preset, page = PRESETS[name], Head("?q=5_5&T=3").set("presets", name)
    assert page.link == {"preset": name}
    assert page.data("stages")["stages"] == Head(f"?preset={name}").data("stages")["stages"]
    page.temperature("T", "3")
    assert page.link == {"preset": name, "T": "3"}
    assert page.said("lines")[0] == ""
    notes = [item.get("note") for item in page.data("say")["items"]]
    assert f"Changed since. The preset: {preset.say}" in notes


def test_a_real_head_says_its_credit_and_once_what_weights_are_not():
    real = [name for name, preset in PRESETS.items() if preset.credit]
    assert len(real) >= 5
    for name in (real[0], "identity"):
        page = Head(f"?preset={name}")
        assert page.everything.count(words.WEIGHTS_ARE_NOT_REASONS) == (name in real)
        assert PRESETS[name].credit in page.everything


def test_a_random_head_is_drawn_again_with_the_next_seed():
    page = four(T="2").click("preset-button")
    assert page.link == {"preset": "random-1"}
    assert page.matrix("q")[0] == [cell.text for cell in random_state(1).q[0]]
    assert not Head("?preset=identity").has("preset-button")


def test_a_random_head_of_any_seed_opens_by_its_link():
    page, state = Head("?preset=random-7"), random_state(7)
    assert page.matrix("q") == [[cell.text for cell in row] for row in state.q]
    shows(page, *(values_of(matrix) for matrix in (state.q, state.k, state.v)))
    assert page.warnings == []


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("beta", ["inf", "0", "1e300", "1e-300"])
def test_no_panel_fails_at_the_limits_with_ties_masks_and_huge_scores(panel, beta):
    numbers = "q=1e150_0~1_1~0_0&k=1e150_0~1e150_1~-1_0&v=1e300_1~-1e300_2~0_1e-300"
    page = Head(f"?{numbers}&mask=causal&hide=0:0&beta={beta}&panel={panel}&row=1")
    assert [note.partition(":")[0] for note in page.warnings] == ["Query “q1” has no allowed key"]
    assert math.fsum(page.bars) == pytest.approx(1)


# -- cells of Q, K and V --------------------------------------------------------------------------

TYPED = [
    ("0.5", 0.5, "0.5"),
    ("0,5", 0.5, "0.5"),
    ("1e-3", 1e-3, "1e-3"),
    ("1/3", 1 / 3, "1/3"),
    ("1/sqrt(2)", 1 / math.sqrt(2), "1/sqrt(2)"),
    ("−1", -1.0, "-1"),
    ("－1", -1.0, "-1"),
    (" 3 ", 3.0, "3"),
]


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_a_number_typed_into_a_cell_is_the_number_that_is_computed_with(name, page):
    last = page.matrix(name)[1:]
    for typed, value, written in TYPED:
        page.write(name, cells=[["1", typed], *last])
        changed = [[1.0, value], *([float(cell) for cell in row] for row in last)]
        shows(page, *({"q": Q, "k": K, "v": V} | {name: changed}).values())
        assert page.link == {name: "~".join([f"1_{written}", *map("_".join, last)])}
    assert page.warnings == []


def test_four_cells_typed_one_after_the_other_all_stay():
    page = four()
    cells = [list(row) for row in page.matrix("q")]
    for at, number in enumerate(("5", "6", "7", "8")):
        cells[at // 2][at % 2] = number
        page.write("q", cells=cells)
    assert [row[:2] for row in page.matrix("q")[:2]] == [["5", "6"], ["7", "8"]]
    q = [[5, 6, *FOUR[0][0][2:]], [7, 8, *FOUR[0][1][2:]], *FOUR[0][2:]]
    shows(page, q, *FOUR[1:])


BAD = ("x", "", "−∞", "-inf", "nan", "inf", "1/0", "1e400", "1 2", "1.2.3")


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_a_cell_that_is_no_number_is_named_and_nothing_is_drawn(name):
    page = Head("?q=4_0&panel=received")
    before = page.matrix(name)
    for typed in BAD if name == "q" else BAD[:3]:
        page.write(name, cells=[[before[0][0], typed], *before[1:]])
        [error] = page.data(name)["errors"]
        assert error["say"].startswith(f"{name.upper()}, row 1, column 2: ")
        assert (error["row"], error["column"]) == (0, 1)
        assert page.warnings == [softmax_words.UNREADABLE]
        assert not any(page.has(part) for part in (*ALWAYS[4:], "panel", "received"))
        assert page.link == {"q": "4_0", "panel": "received"}
        for other in {"q", "k", "v"} - {name}:
            assert "errors" not in page.data(other)
    page.write(name, cells=before)
    assert "errors" not in page.data(name)
    assert page.warnings == []
    shows(page, [[4, 0]], K, V)


def test_every_bad_cell_is_named_at_once_and_those_of_another_matrix_stay(page):
    page.write("q", cells=[["x", ""]]).write("k", cells=[["1", "0"], ["0", "y"]])
    assert [error["column"] for error in page.data("q")["errors"]] == [0, 1]
    assert [error["say"][:18] for error in page.data("k")["errors"]] == ["K, row 2, column 2"]
    page.write("k", cells=[["1", "0"], ["0", "3"]])
    assert len(page.data("q")["errors"]) == 2
    assert not page.has("stages")
    page.write("q", cells=[["0", "1"]])
    shows(page, [[0, 1]], [[1, 0], [0, 3]], V)


def test_what_is_typed_in_a_bad_cell_stays_when_another_matrix_changes_its_shape(page):
    page.write("q", cells=[["3", "x"]]).write("k", "1 0 5", "0 1 5")
    assert page.matrix("q")[0][:2] == ["3", "x"]
    assert page.data("q")["errors"][0]["column"] == 1


def test_a_wide_matrix_with_a_bad_cell_stays_open_until_it_is_mended():
    page = Head("?preset=saturated&edit=v")
    cells = [list(row) for row in page.matrix("v")]
    cells[0][0] = "x"
    page.write("v", cells=cells).set("edit", "none")
    assert page.matrix("v")[0][0] == "x"
    assert page.data("v")["errors"][0]["say"].startswith("V, row 1, column 1: ")


def test_while_a_number_is_typed_the_stages_follow_and_the_link_waits(page):
    for text in ("2", "2.", "2.5"):
        page.write("q", cells=[[text, "0"]], live=True)
        shows(page, [[float(text), 0]], K, V)
        assert page.link == {}
    page.write("q", cells=[["2.5", "0"]])
    assert page.link == {"q": "2.5_0"}


# -- text and blocks ------------------------------------------------------------------------------


MATRICES = [
    "3 1; 0 2",
    "[[3, 1], [0, 2]]",
    "array([[3., 1.],\n       [0., 2.]])",
    "tensor([[3., 1.],\n        [0., 2.]])",
    "[3 1; 0 2]",
    "3\t1\r\n0\t2\r\n",
    "3, 1\n0, 2",
    "a,b\n3,1\n0,2",
]


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_a_matrix_pasted_as_text_is_read_and_the_cells_take_it_over(name, page):
    for number, text in enumerate(MATRICES if name == "q" else MATRICES[3:5]):
        before, first = page.data(name)["rev"], 3 + number
        page.text(name, text.replace("3", str(first)))
        assert page.data(name)["rev"] != before
        cells = [[float(cell) for cell in row] for row in page.matrix(name)]
        assert cells == [[first, 1], [0, 2]]
        assert page.data(name)["read"] == f"{name.upper()} is (2, 2)."
        shows(page, *({"q": Q, "k": K, "v": V} | {name: cells}).values())


def test_a_text_of_expressions_keeps_them_as_typed(page):
    page.text("q", "1/3, sqrt(2)")
    assert page.matrix("q") == [["1/3", "sqrt(2)"]]
    assert page.data("q")["text"] == "1/3, sqrt(2)"
    shows(page, [[1 / 3, math.sqrt(2)]], K, V)
    assert page.link == {"q": "1/3_sqrt(2)"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1, x", "Value 2 "),
        ("1 2\n3", "Row 2"),
        ("1,,3", "Value 2 is blank"),
        ("[0. 1. ... 8. 9.]", "shortened"),
        ("1 nan", "Value 2 "),
        ("1, -inf", "Q, row 1, column 2"),
        ("", "nothing to read"),
        (" ".join("1" * 65), "at most 64"),
        ("\n".join(["1 2"] * 65), "at most 64"),
    ],
)
def test_a_text_that_cannot_be_read_stays_and_says_where(text, place):
    page = Head("?q=4_0").text("q", text)
    [error] = page.data("q")["errors"]
    assert place in error["say"]
    assert page.data("q")["fromLine"]
    assert page.data("q")["text"] == text
    assert page.warnings == [softmax_words.UNREADABLE]
    assert not page.has("stages")
    assert page.link == {"q": "4_0"}
    shows(page.offered("q", "Go back"), [[4, 0]], K, V)


def test_a_text_with_two_meanings_is_asked_about_and_either_answer_is_read(page):
    page.text("q", "1,2;2,3")
    assert page.data("q")["errors"][0]["say"].startswith("This can be read in two ways")
    assert not page.has("stages")
    values = next(c for c in page.data("q")["choices"] if "between values" in c["say"])
    page.text("q", values["text"])
    shows(page, [[1, 2], [2, 3]], K, V)
    page.text("q", "1,2;2,3")
    decimals = next(c for c in page.data("q")["choices"] if "decimal commas" in c["say"])
    page.text("q", decimals["text"])
    shows(page, [[1.2, 2.3]], K, V)


def test_a_pasted_block_lands_in_its_cell_and_the_others_make_room(page):
    page.write("q", paste="5\t6\r\n7\t8\r\n", at=[0, 0])
    shows(page, [[5, 6], [7, 8]], K, V)
    page.write("v", paste="1\t2\n3\t4", at=[1, 1])
    assert page.data("v")["fromLine"]  # 3 values for 2 keys: a question
    page.offered("v", "Make K fit")
    shows(page, [[5, 6], [7, 8]], [*K, [0, 0]], [[2, 0, 0], [0, 1, 2], [0, 3, 4]])


def test_a_pasted_column_is_a_column(page):
    page.write("k", paste="3\n4", at=[0, 1])
    assert page.matrix("k") == [["1", "3"], ["0", "4"]]
    shows(page, Q, [[1, 3], [0, 4]], V)


def test_a_pasted_block_that_cannot_be_read_changes_no_cell(page):
    page.write("k", paste="5\tx", at=[0, 0])
    assert page.matrix("k") == [["1", "0"], ["0", "1"]]
    assert page.data("k")["text"] == "5\tx"
    assert page.warnings == [softmax_words.UNREADABLE]


# -- shapes that do not fit -----------------------------------------------------------------------

MISFITS = {
    "q": ("1 2 3", "Q is (1, 3), K is (2, 2)"),
    "k": ("1 2 3; 4 5 6; 7 8 9", "Q is (1, 2), K is (3, 3)"),
    "v": ("1 2 3; 4 5 6; 7 8 9", "K is (2, 2), V is (3, 3)"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_matrix_that_does_not_fit_is_a_question_that_names_both_shapes(name):
    text, shapes = MISFITS[name]
    page = Head("?T=2").text(name, text)
    [error] = page.data(name)["errors"]
    assert shapes in error["say"]
    assert page.data(name)["text"] == (text if name != "q" else "1, 2, 3")
    assert not page.has("stages")
    assert page.link == {"T": "2"}
    shows(page.offered(name, "Go back"), Q, K, V, beta=0.5)


@pytest.mark.parametrize(
    ("name", "words", "q", "k", "v"),
    [
        ("q", "Make K fit", [[1, 2, 3]], [[1, 0, 0], [0, 1, 0]], V),
        ("q", "Make Q 1 × 2", [[1, 2]], K, V),
        (
            "k",
            "Make Q and V fit",
            [[1, 0, 0]],
            [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
            [[2, 0], [0, 2], [0, 0]],
        ),
        ("k", "Make K 2 × 2", Q, [[1, 2], [4, 5]], V),
        ("v", "Make K fit", Q, [[1, 0], [0, 1], [0, 0]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
        ("v", "Make V 2 × 3", Q, K, [[1, 2, 3], [4, 5, 6]]),
    ],
)
def test_each_way_out_of_a_misfit_gives_its_numbers(name, words, q, k, v, page):
    page.text(name, MISFITS[name][0]).offered(name, words)
    assert "errors" not in page.data(name)
    for part, matrix in (("q", q), ("k", k), ("v", v)):
        assert page.matrix(part) == [[str(x) for x in row] for row in matrix]
    shows(page, q, k, v)


def test_a_smaller_text_drops_what_is_too_much():
    page = four(mask="causal", hide="3:3", row="3", cell="3:3", tokens="a_b_c_d")
    page.text("k", "1 2; 3 4").offered("k", "Make Q and V fit")
    q = [row[:2] for row in FOUR[0]]
    assert page.data("stages")["cell"] is None
    assert page.stage("masked")["rows"] == ["a", "b", "c", "d"]
    assert page.stage("masked")["columns"] == ["k1", "k2"]
    shows(page, q, [[1, 2], [3, 4]], FOUR[2][:2], {(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)})
    assert "hide" not in page.link


# -- rows, columns and their labels ---------------------------------------------------------------


def test_labels_of_queries_and_keys_stand_everywhere_and_in_the_link(page):
    page.write("q", names=["veo"]).write("k", names=["I", "see"])
    assert page.link == {"tokens": "veo", "keys": "I_see"}
    for name in ("scores", "scaled", "masked", "weights"):
        assert (page.stage(name)["rows"], page.stage(name)["columns"]) == (["veo"], ["I", "see"])
    assert page.stage("values")["rows"] == ["I", "see"]
    assert page.stage("output")["rows"] == ["veo"]
    assert page.data("v")["rowLabels"] == ["I", "see"]
    assert [row["label"] for row in page.data("gather")["rows"]] == ["I", "see"]
    assert page.data("steps")["caption"] == "Query veo, step by step"
    assert page.figure("bars")["layout"]["xaxis"]["ticktext"] == ["I", "see"]
    assert page.figure("entropy")["layout"]["yaxis"]["ticktext"] == ["veo"]
    assert page.texts("weights") == [["0.670", "0.330"]]
    page.write("q", names=["q1"]).write("k", names=["k1", "k2"])
    assert page.link == {}


def test_the_labels_of_the_queries_are_those_of_as_many_keys():
    page = four(tokens="the_cat_saw_the")
    assert page.stage("weights")["columns"] == ["the", "cat", "saw", "the"]
    assert page.data("k")["rowLabels"] == ["the", "cat", "saw", "the"]
    page.write("k", names=["the", "dog", "saw", "the"])
    assert page.link["keys"] == "the_dog_saw_the"
    assert page.stage("weights")["rows"] == ["the", "cat", "saw", "the"]
    assert page.data("v")["rowLabels"] == ["the", "dog", "saw", "the"]


def test_the_labels_beside_the_values_are_those_of_the_keys_and_cannot_be_typed(page):
    assert page.data("v")["namesFixed"]
    page.write("v", names=["a", "b"])
    assert page.stage("values")["rows"] == ["k1", "k2"]
    assert page.link == {}


def test_a_query_comes_and_goes(page):
    page.write("q", "1 0", "0 3")
    shows(page, [[1, 0], [0, 3]], K, V)
    assert page.stage("weights")["rows"] == ["q1", "q2"]
    assert page.link == {"q": "1_0~0_3"}
    page.choose("output", 1, 0).remove("q", "row", 0)
    shows(page, [[0, 3]], K, V)
    assert page.data("stages")["query"] == 0
    assert page.link == {"q": "0_3"}


@pytest.mark.parametrize("name", ["k", "v"])
def test_a_key_comes_and_goes_with_its_value_and_its_masked_cells(name, page):
    page.toggle(0, 1).write(name, *(" ".join(row) for row in page.matrix(name)), "3 1")
    new = {"k": ([3, 1], [0, 0]), "v": ([0, 0], [3, 1])}[name]
    shows(page, Q, [*K, new[0]], [*V, new[1]], {(0, 1)})
    assert page.stage("weights")["columns"] == ["k1", "k2", "k3"]
    page.remove(name, "row", 0)
    shows(page, Q, [K[1], new[0]], [V[1], new[1]], {(0, 0)})
    assert page.link["hide"] == "0:0"
    page.remove(name, "row", 0)
    shows(page, Q, [new[0]], [new[1]])
    assert "hide" not in page.link


@pytest.mark.parametrize(("name", "other"), [("q", "k"), ("k", "q")])
def test_a_column_of_queries_and_keys_comes_and_goes_in_both(name, other, page):
    page.write(name, *(" ".join([*row, "2"]) for row in page.matrix(name)))
    assert [row[-1] for row in page.matrix(other)] == ["0"] * len(page.matrix(other))
    assert page.stage("scaled")["title"].endswith("0.5774")
    page.remove(name, "column", 0)
    assert page.matrix(other) == [[*row[1:], "0"] for row in ({"q": [["1", "0"]], "k": [
        ["1", "0"], ["0", "1"]]}[other])]  # fmt: skip
    assert page.stage("scaled")["title"].endswith("0.7071")


def test_a_column_of_values_comes_and_goes_alone(page):
    page.write("v", "2 0 5", "0 2 -5")
    shows(page, Q, K, [[2, 0, 5], [0, 2, -5]])
    assert page.stage("output")["columns"] == ["d1", "d2", "d3"]
    page.remove("v", "column", 0).remove("v", "column", 0)
    shows(page, Q, K, [[5], [-5]])
    assert page.matrix("q") == [["1", "0"]]


def test_labels_and_what_is_chosen_follow_a_row_that_is_removed():
    page = four(tokens="a_b_c_d", keys="w_x_y_z", row="2", hide="0:1_2:3", show="1:2")
    page.remove("q", "row", 1)
    assert page.stage("masked")["rows"] == ["a", "c", "d"]
    assert page.data("stages")["query"] == 1
    assert page.hidden == {(0, 1), (1, 3)}
    page.remove("k", "row", 1)
    assert page.stage("masked")["columns"] == ["w", "y", "z"]
    assert page.hidden == {(1, 2)}
    q, k, v = ([row for i, row in enumerate(m) if i != 1] for m in FOUR)
    shows(page, q, k, v, {(1, 2)})


# -- masks ----------------------------------------------------------------------------------------

CAUSAL = {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
LEFT_OF_TWO = {(2, 0), (3, 0), (3, 1)}
LAST = {(i, 3) for i in range(4)}
BLOCKS = {(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)}


@pytest.mark.parametrize(
    ("masks", "hidden"),
    [
        (["causal"], CAUSAL),
        (["window"], CAUSAL | LEFT_OF_TWO),
        (["prefix"], CAUSAL),
        (["padding"], LAST),
        (["block"], BLOCKS),
        (["causal", "padding"], CAUSAL | LAST),
        (["block", "causal"], BLOCKS | CAUSAL),
        (["causal", "window", "prefix", "padding", "block"], CAUSAL | LEFT_OF_TWO | LAST | BLOCKS),
        ([], set()),
    ],
)
def test_masks_hide_their_cells_and_combine(masks, hidden):
    page = four(row="2").set("mask", masks)
    assert page.hidden == hidden
    assert page.stage("masked")["note"] == f"{len(hidden) or 'None'} of 16 cells hidden."
    for i, row in enumerate(page.texts("masked")):
        assert [text == "masked" for text in row] == [(i, j) in hidden for j in range(4)]
    shows(page, *FOUR, hidden)
    assert sorted(page.link.get("mask", "").split("_")) == sorted(masks or [""])


@pytest.mark.parametrize(
    ("mask", "typed", "hidden"),
    [
        ("window", "1", {(i, j) for i in range(4) for j in range(4) if i != j}),
        ("window", "3", CAUSAL | {(3, 0)}),
        ("prefix", "2", CAUSAL - {(0, 1)}),
        ("prefix", "0", CAUSAL),
        ("padding", "2", LAST | {(i, 2) for i in range(4)}),
        ("padding", "0", set()),
        ("block", "3", {(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)}),
        ("block", " 64 ", set()),
    ],
)
def test_the_option_of_a_mask_is_typed_beside_it(mask, typed, hidden):
    page = four()
    assert not page.has(mask)
    page.set("mask", [mask]).set(mask, typed)
    assert page.hidden == hidden
    shows(page, *FOUR, hidden)
    assert page.link == {"preset": "random-0", "mask": mask, mask: typed.strip()}


@pytest.mark.parametrize("mask", ["window", "prefix", "padding", "block"])
def test_an_option_that_cannot_be_stays_in_its_box_and_nothing_is_drawn(mask):
    page = four(mask=mask)
    for typed in ("x", "1.5", "-1", "65", "99999999999999999999"):
        page.set(mask, typed)
        assert page.widget(mask).value == typed
        assert len(page.errors) == 1
        assert page.warnings == [softmax_words.UNREADABLE]
        assert not page.has("stages")
        assert page.link == {"preset": "random-0", "mask": mask}
    page.set(mask, "2")
    assert page.errors == []
    assert page.has("stages")


@pytest.mark.parametrize("mask", ["prefix", "padding"])
def test_an_option_beyond_the_keys_names_their_number(mask):
    page = four(mask=mask).set(mask, "5")
    assert "the number of keys, 4" in page.errors[0]
    page.set("mask", [])  # without the mask its option counts for nothing
    shows(page, *FOUR)


def test_the_alignment_is_asked_for_only_where_it_matters():
    page = four(mask="causal")
    assert not page.has("align")
    page.remove("q", "row", 0)
    assert page.hidden == {(0, 2), (0, 3), (1, 3)}
    page.set("align", "top-left")
    assert page.hidden == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    page.set("mask", ["padding"])
    assert not page.has("align")
    page.set("mask", [])
    assert not page.has("align")


def test_a_cell_of_the_mask_is_toggled_on_top_of_any_mask():
    page = four(mask="causal").toggle(0, 3)
    assert page.hidden == CAUSAL - {(0, 3)}
    assert page.link == {"preset": "random-0", "mask": "causal", "show": "0:3"}
    page.toggle(2, 1)
    assert page.link["hide"] == "2:1"
    hidden = (CAUSAL - {(0, 3)}) | {(2, 1)}
    shows(page, *FOUR, hidden)
    page.set("mask", [])
    assert page.hidden == {(2, 1)}
    page.set("mask", ["causal"])
    page.toggle(0, 3).toggle(2, 1)
    assert page.hidden == CAUSAL
    assert page.link == {"preset": "random-0", "mask": "causal"}


def test_a_toggled_cell_keeps_its_number_in_scores_and_scaled(page):
    page.toggle(0, 0)
    assert page.texts("scaled") == [["0.707", "0"]]
    assert page.texts("masked") == [["masked", "0"]]
    assert page.texts("weights") == [["0", "1"]]
    assert page.link == {"hide": "0:0"}
    page.toggle(0, 0)
    assert page.texts("weights") == [["0.670", "0.330"]]
    assert page.link == {}


def test_a_hidden_key_has_no_influence_whatever_its_numbers_are(page):
    page.toggle(0, 1)
    before = page.bars.tolist(), page.texts("output")
    page.write("k", "1 0", "1e300 1e300").write("v", "2 0", "-1e308 1e308")
    assert (page.bars.tolist(), page.texts("output")) == before
    assert page.warnings == []


def test_the_convention_and_what_padding_leaves_are_written_at_the_mask():
    page = four()
    assert words.CONVENTION in page.captions
    page.set("mask", ["padding"]).set("padding", "3")
    assert f"{words.CONVENTION} Padding leaves the first 1 of 4 keys valid." in page.captions


# -- scale and temperature ------------------------------------------------------------------------


SCALES = [
    ("off", 1, "Scaled: not at all", "off"),
    ("OFF ", 1, "Scaled: not at all", "off"),
    ("2", 2, "Scaled QKᵀ · 2", "2"),
    ("1/2", 0.5, "Scaled QKᵀ · 0.5", "1/2"),
    ("0,5", 0.5, "Scaled QKᵀ · 0.5", "0.5"),
    ("-1", -1, "Scaled QKᵀ · −1", "-1"),
    ("0", 0, "Scaled QKᵀ · 0", "0"),
]


def test_the_scale_is_on_off_or_a_number():
    page = four()
    scores = np.matmul(FOUR[0], np.transpose(FOUR[1]))
    for typed, factor, title, written in SCALES:
        page.set("scale", typed)
        shows(page, *FOUR, scale=factor)
        assert page.stage("scaled")["title"] == title
        assert page.numbers("scaled") == near((factor * scores).tolist())
        assert page.widget("scale").value == typed
        assert page.link == {"preset": "random-0", "scale": written}
    shows(page.set("scale", "on"), *FOUR)
    assert page.link == {"preset": "random-0"}


def test_a_scale_that_cannot_be_stays_in_its_box_and_nothing_is_drawn():
    page = four()
    for typed in ("x", "inf", "-inf", "nan", "1e400", "1/0"):
        page.set("scale", typed)
        assert page.widget("scale").value == typed
        assert len(page.errors) == 1
        assert page.warnings == [softmax_words.UNREADABLE]
        assert not page.has("stages")
        assert page.link == {"preset": "random-0"}


@pytest.mark.parametrize(
    ("name", "typed", "beta", "written"),
    [("T", "2", 0.5, "2"), ("T", "0,5", 2, "0.5"), ("beta", "3", 3, "3"), ("T", "1/3", 3, "1/3")],
)
def test_a_typed_temperature_reaches_weights_bars_and_output(name, typed, beta, written):
    page = four().temperature(name, typed)
    shows(page, *FOUR, beta=beta)
    assert "β = " in page.stage("weights")["note"]
    assert page.link == {"preset": "random-0", name: written}


def test_the_limit_T_to_0_gives_the_largest_scores_all_the_weight():
    page = Head("?q=1_0&k=2_0~2_1~1_0&v=1~3~9").temperature("beta", "inf")
    assert page.bars.tolist() == [0.5, 0.5, 0]
    assert page.texts("weights") == [["0.5", "0.5", "0"]]  # exactly 0: nothing underflowed
    assert page.texts("output") == [["2"]]
    assert page.column("weight", "steps") == ["0.5", "0.5", "0"]
    assert "underflow" not in page.everything


def test_the_limit_T_to_infinity_gives_every_allowed_key_the_same():
    page = Head("?q=1_0&k=2_0~2_1~1_0&v=1~3~9&hide=0:1").temperature("beta", "0")
    assert page.bars.tolist() == [0.5, 0, 0.5]
    assert page.texts("output") == [["5"]]


@pytest.mark.parametrize("panel", PANELS)
def test_nothing_underflowed_in_the_limit_T_to_0_in_any_panel(panel):
    page = Head(f"?q=1_0~0_1&k=2_0~2_1~1_0&v=1~3~9&beta=inf&panel={panel}")
    assert "underflow" not in page.everything
    assert page.figure("bars")["data"][0]["y"].tolist() == [0.5, 0.5, 0]


def test_an_underflowed_weight_says_so_and_a_tiny_one_keeps_its_size():
    page = Head("?q=1&k=0~-40~-800&v=1~2~3&scale=off")
    assert page.texts("weights") == [["1", "4.25e−18", "0 (underflow)"]]
    assert page.column("weight", "steps") == ["1", "4.248e−18", "0 (underflow)"]
    assert page.column("weight", "gather") == ["1", "4.248e−18", "0 (underflow)"]


def test_a_temperature_that_cannot_be_stays_in_its_box_and_nothing_is_drawn(page):
    for typed in ("abc", "-1", "0", "nan"):
        page.temperature("T", typed)
        assert page.data("temperature")["T"] == typed
        assert page.data("temperature")["error"].startswith("T")
        assert page.warnings == [softmax_words.UNREADABLE]
        assert not page.has("stages")


def test_an_emptied_box_gets_its_last_good_text_back():
    page = four(mask="window", window="3", scale="2", T="2")
    page.set("window", "").set("scale", "x").set("scale", "").temperature("T", "")
    assert (page.widget("window").value, page.widget("scale").value) == ("3", "2")
    assert page.data("temperature")["T"] == "2"
    assert page.errors == []
    shows(page, *FOUR, CAUSAL | {(3, 0)}, scale=2, beta=0.5)


def test_numbers_beyond_float64_are_not_computed_with_and_the_page_says_which():
    page = Head("?q=1e200_0&k=1e200_0~0_1")
    [warning] = page.warnings
    assert warning.startswith("Not computed: ")
    assert not page.has("stages")
    page.write("q", "1 0")
    assert page.warnings == []
    assert page.has("stages")


# -- queries without an allowed key ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "weights", "output", "says"),
    [
        ("zeros", ["0", "0"], ["0", "0"], "shown as zeros"),
        ("uniform", ["0.5", "0.5"], ["1", "1"], "the same weight on every key"),
        ("nan", ["nan", "nan"], ["nan", "nan"], "it gets NaN"),
        ("error", ["nan", "nan"], ["nan", "nan"], "a program stops here"),
    ],
)
def test_a_query_without_a_key_is_named_and_gets_what_was_chosen(policy, weights, output, says):
    page = Head().write("q", "1 0", "0 1", names=["the", "cat"])
    assert page.warnings == []
    page.toggle(1, 0).toggle(1, 1).set("empty", policy)
    [warning] = page.warnings
    assert warning.startswith("Query “cat” has no allowed key: ")
    assert says in warning
    assert f"(the rule chosen here: {POLICIES[policy]})" in warning
    assert page.texts("masked")[1] == ["masked", "masked"]
    assert page.texts("weights") == [["0.670", "0.330"], weights]
    assert page.texts("output") == [["1.340", "0.660"], output]
    assert page.link.get("empty", "zeros") == policy
    page.choose("output", 1, 0)
    assert not page.has("steps")
    assert page.foot("gather")[1:] == output
    assert page.texts("weights")[1] == weights
    for panel in PANELS if policy == "error" else ():
        assert len(page.set("panel", panel).warnings) == 1
    page.toggle(1, 1)
    assert page.warnings == []
    assert page.texts("output")[1] == ["0", "2"]


def test_what_each_policy_gives_is_compared_with_minus_1e9():
    page = Head("?q=1_0~0_1&k=1_0~0_1&v=2_0~0_2&hide=0:0_0:1&panel=policies")
    assert page.data("policies")["rows"] == [
        {"label": "q1, error", "cells": ["an error", "an error"]},
        {"label": "q1, zeros", "cells": ["[0, 0]", "[0, 0]"]},
        {"label": "q1, uniform", "cells": ["[0.5, 0.5]", "[1, 1]"]},
        {"label": "q1, NaN", "cells": ["[nan, nan]", "[nan, nan]"]},
        {"label": "q1, −1e9 instead of −∞", "cells": ["[0.670, 0.330]", "[1.340, 0.660]"]},
    ]


# -- orientation, and what is chosen --------------------------------------------------------------


def test_the_orientation_turns_every_stage_and_changes_no_number():
    page = four(mask="causal", tokens="a_b_c_d", keys="w_x_y_z", row="1", cell="1:0")
    before = {name: page.stage(name) for name in PIPELINE}
    same = [page.bars.tolist(), *(page.cells(t) for t in ("steps", "gather", "dot"))]
    page.set("orient", "columns")
    assert page.data("stages")["flip"] is True
    for name, stage in before.items():
        turned = page.stage(name)
        for part in ("texts", "shades", *(["masked"] if "masked" in stage else [])):
            assert turned[part] == [list(column) for column in zip(*stage[part], strict=True)]
        assert (turned["rows"], turned["columns"]) == (stage["columns"], stage["rows"])
        assert turned["rowTitle"] == stage["columnTitle"]
        assert turned["columnTitle"] == stage["rowTitle"]
    assert page.stage("scores")["title"] == "Scores KᵀQ"
    assert page.stage("weights")["note"].startswith("Each column sums to 1")
    assert same == [page.bars.tolist(), *(page.cells(t) for t in ("steps", "gather", "dot"))]
    assert page.link["orient"] == "columns"
    page.set("orient", "rows")
    assert {name: page.stage(name) for name in PIPELINE} == before


def test_a_chosen_cell_writes_out_its_dot_product_and_goes_when_it_is_chosen_again():
    page = Head("?q=1_2~3_4&k=5_6~7_8&v=1~2&tokens=the_cat&keys=a_b").choose("weights", 1, 0)
    assert page.data("stages")["cell"] == [1, 0]
    assert page.data("stages")["query"] == 1
    assert page.cells("dot") == [["3", "5", "15"], ["4", "6", "24"]]
    assert page.foot("dot") == ["", "", "39"]
    assert page.data("dot")["caption"] == "Score of cat for a: the dot product q · k"
    assert page.texts("scores")[1][0] == "39"
    assert page.link["cell"] == "1:0"
    page.choose("scores", 1, 0)
    assert not page.has("dot")
    assert page.data("stages")["query"] == 1
    assert "cell" not in page.link


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights", "output"])
def test_a_query_is_chosen_by_its_label_in_any_stage_and_released_again(stage):
    page = four().choose(stage, 2, None)
    assert page.data("stages")["query"] == 2
    assert page.data("steps")["caption"] == "Query q3, step by step"
    assert page.link == {"preset": "random-0", "row": "2"}
    shows(page, *FOUR)
    page.choose(stage, 2, None)
    assert page.data("stages")["query"] is None
    assert not any(page.has(part) for part in ("steps", "bars", "gather", "dot"))
    assert page.link == {"preset": "random-0", "row": "none"}
    assert Head("?" + urlencode(page.link)).data("stages")["query"] is None


def test_a_cell_of_the_output_chooses_its_query_and_one_of_the_values_none():
    page = four().choose("output", 3, 1)
    assert page.data("stages")["query"] == 3
    page.choose("values", 1, 1).choose("scores", None, 2)
    assert page.data("stages")["query"] == 3
    assert page.data("stages")["cell"] is None


def test_a_bar_of_a_key_chooses_its_dot_product_and_one_of_the_entropy_its_query():
    page = four(mask="causal", row="1").edit("bars", bar=3)  # a masked key has a score too
    assert page.data("stages")["cell"] == [1, 3]
    score = as_number(page.foot("dot")[-1])
    assert score == pytest.approx(np.dot(FOUR[0][1], FOUR[1][3]), abs=6e-5)
    page.edit("bars", bar=3)
    assert not page.has("dot")
    page.edit("entropy", bar=2)
    assert page.data("stages")["query"] == 2
    page.edit("entropy", bar=2)
    assert page.data("stages")["query"] is None
    for part, bar in (("entropy", 4), ("entropy", -1), ("entropy", "0"), ("entropy", True)):
        page.edit(part, bar=bar)
        assert page.data("stages")["query"] is None


def test_the_steps_of_every_query_end_in_its_weights_and_its_output():
    page = four(mask="causal")
    for row in range(4):
        if row:
            page.choose("output", row, None)
        shows(page, *FOUR, CAUSAL)
        weights = [as_number(text) for text in page.column("weight", "steps")]
        assert weights == pytest.approx(page.bars.tolist(), abs=6e-5)
        assert len(page.data("steps")["foot"]) == 1


# -- large heads ----------------------------------------------------------------------------------


def test_of_a_wide_head_one_matrix_is_open_at_a_time():
    page = Head("?preset=saturated")
    assert not any(page.has(name) for name in ("q", "k", "v"))
    assert any("Q is (4, 64), K is (4, 64), V is (4, 4)" in caption for caption in page.captions)
    for name, width in (("q", 64), ("k", 64), ("v", 4)):
        page.set("edit", name)
        assert [part for part in ("q", "k", "v") if page.has(part)] == [name]
        assert len(page.matrix(name)[0]) == width
        assert page.link == {"preset": "saturated", "edit": name}
    cells = [list(row) for row in page.matrix("v")]
    cells[0][0] = "100"
    page.write("v", cells=cells)
    assert page.texts("values")[0][0] == "100"
    page.set("edit", "none")
    assert not page.has("v")
    assert page.texts("values")[0][0] == "100"


def many(n):
    """Return the link of n queries and keys, of width 1."""
    numbers = "_".join(str(i % 5) for i in range(n)).replace("_", "~")
    return f"?q={numbers}&k={numbers}&v={numbers}&scale=off"


@pytest.mark.parametrize("stage", STAGES)
def test_of_a_head_of_25_tokens_one_stage_is_drawn_at_a_time(stage):
    page = Head(many(25))
    assert [drawn["id"] for drawn in page.data("stages")["stages"]] == ["weights"]
    page.set("stage", stage)
    assert [drawn["id"] for drawn in page.data("stages")["stages"]] == [stage]
    assert page.link.get("stage", "weights") == stage
    numbers = [[float(i % 5)] for i in range(25)]
    weights, output = by_hand(numbers, numbers, numbers, scale=1)
    scores = [[a[0] * b[0] for b in numbers] for a in numbers]
    expected = {"weights": weights, "values": numbers, "output": output}.get(stage, scores)
    assert page.numbers(stage) == near(expected)


def test_of_a_head_of_24_tokens_all_stages_are_drawn():
    assert [drawn["id"] for drawn in Head(many(24)).data("stages")["stages"]] == list(PIPELINE)


def test_a_large_head_is_toggled_and_chosen_like_a_small_one():
    page = Head(many(25)).set("stage", "masked").toggle(24, 3)
    assert page.hidden == {(24, 3)}
    page.choose("masked", 24, 4)
    assert page.data("dot")["foot"][-1]["cells"][-1] == "16"


def as_text(matrix):
    return "\n".join(" ".join(cell.text for cell in row) for row in matrix)


def opened_from_a_file(state):
    """Open a head that may be too large for a link."""
    page = Head("?panel=export")
    file = write_file("attention", state, preset_states())
    return page.set("file", ("state.txt", file.encode(), "text/plain"))


def test_a_head_of_16_tokens_runs_in_every_panel_and_its_link_is_packed():
    state = replace(random_state(5, 16, 16, 16, 16), edit="q")
    page = opened_from_a_file(state)
    weights, output = by_hand(*(values_of(matrix) for matrix in (state.q, state.k, state.v)))
    assert page.bars.tolist() == drawn(weights[0])
    for panel in PANELS:
        page.set("panel", panel)
        assert page.numbers("weights") == near(weights)
    assert page.numbers("output") == near(output)
    assert page.data("copy")["disabled"] is False
    assert list(page.link) == ["s"]
    opened = Head("?" + urlencode(page.link))
    assert opened.data("stages")["stages"] == page.data("stages")["stages"]
    assert opened.warnings == []
    page.write("q", cells=[["0"] * 16, *page.matrix("q")[1:]])
    assert page.bars.tolist() == drawn([1 / 16] * 16)


def test_a_head_of_64_tokens_runs_in_every_panel_and_is_saved_as_a_file_that_opens_it():
    state = replace(random_state(5, 64, 64, 64, 64), edit="q")
    page = opened_from_a_file(state)
    weights, _ = by_hand(*(values_of(matrix) for matrix in (state.q, state.k, state.v)))
    assert page.bars.tolist() == drawn(weights[0])
    assert page.numbers("weights") == near(weights)
    for panel in PANELS:
        page.set("panel", panel)
        assert page.warnings == [softmax_words.OVERSIZE]
    assert page.data("copy")["disabled"] is True
    assert page.link == {"panel": "export"}  # the old link is left
    text = page.download("State as a file")
    page.write("q", cells=[["0"] * 64, *page.matrix("q")[1:]])
    assert page.bars.tolist() == drawn([1 / 64] * 64)
    page.set("file", ("b.txt", text.encode(), "text/plain"))
    assert page.bars.tolist() == drawn(weights[0])


def test_64_by_64_numbers_are_pasted_as_text_and_a_65th_row_is_refused():
    rows = "\n".join(" ".join(cell.text for cell in row) for row in random_state(6, 64, 1, 64).q)
    page = Head("?edit=q").text("q", rows).offered("q", "Make K fit")
    assert np.shape(page.matrix("q")) == (64, 64)
    assert np.shape(page.texts("weights")) == (64, 2)
    page.text("q", rows + "\n" + " ".join("1" * 64))
    assert "at most 64" in page.data("q")["errors"][0]["say"]


def sent(page):
    """Return the bytes of what all our parts were given to draw."""
    parts = [node.proto for node in page.elements if node.type == "bidi_component"]
    return sum(part.ByteSize() for part in parts)


@pytest.mark.parametrize("panel", PANELS)
def test_a_run_of_a_4_by_4_head_sends_less_than_14_kB(panel):
    page = four(panel=panel, mask="causal", cell="1:0")
    assert sent(page) < 14_000


# -- panels ---------------------------------------------------------------------------------------


def test_a_panel_is_one_click_and_the_link_remembers_it(page):
    for panel in ("export", *PANELS):
        page.set("panel", panel)
        assert page.link == ({} if panel == "entropy" else {"panel": panel})
    assert Head("?panel=received").widget("panel").value == "received"


def test_entropy_is_in_nats_with_its_ceiling_and_a_query_without_a_key_has_none():
    page = Head("?q=1_0~0_1~0_0&k=1_0~0_1&v=1~2&hide=1:0_2:0_2:1")
    assert page.column("entropy", "entropies") == [
        "0.634 nats, 1.886 effective keys",  # golden.json
        "0 nats, 1 effective key",
        "no keys",
    ]
    assert page.column("ceiling", "entropies") == ["0.693 nats", "0 nats", "no keys"]
    bars, track, strokes = page.figure("entropy")["data"]
    assert bars["x"][0] == pytest.approx(0.6343473743503625)
    assert track["x"][0] == pytest.approx(math.log(2))
    assert math.isnan(bars["x"][2])
    assert strokes["text"][2].strip() == "no keys"
    assert "q3 no keys" in page.data("entropy")["alt"]


def test_a_bar_of_the_entropy_says_each_unit_once(page):
    hover = page.figure("entropy")["data"][0]["hovertext"][0]
    assert hover.count("nats nats") == 0
    assert "keys nats" not in hover


def test_what_the_keys_receive_sums_to_the_queries_that_see_a_key():
    page = Head("?q=1_0~0_1~0_0&k=1_0~0_1&v=1~2&hide=2:0_2:1&panel=received")
    weights, _ = by_hand([[1, 0], [0, 1], [0, 0]], K, [[1], [2]], {(2, 0), (2, 1)})
    totals = page.figure("received")["data"][0]["y"]
    assert totals.tolist() == pytest.approx([sum(column) for column in zip(*weights, strict=True)])
    assert totals.sum() == pytest.approx(2)
    assert page.data("received")["alt"] == "What each key receives: k1 1, k2 1."
    page.set("empty", "nan")
    assert page.figure("received")["data"][0]["y"].sum() == pytest.approx(2)


def test_a_pinned_state_is_compared_with_what_is_changed_after_it():
    page = Head("?panel=compare")
    assert not page.has("maps")
    page.click("set-pin-Pin this state as A")
    assert page.texts("a", "maps") == page.texts("b", "maps") == [["0.670", "0.330"]]
    assert page.texts("difference", "maps") == [["0", "0"]]
    assert page.cells("distances") == [["0", "0", "[0, 0]"]]
    page.temperature("beta", "2")
    a, (b, output) = WORKED["weights"][0], (x[0] for x in by_hand(Q, K, V, beta=2))
    assert page.texts("a", "maps") == [["0.670", "0.330"]]
    assert page.numbers("b", "maps") == near([b])
    assert page.numbers("difference", "maps") == near([np.subtract(b, a)])
    [[variation, divergence, change]] = page.cells("distances")
    assert as_number(variation) == pytest.approx(abs(a[0] - b[0]), abs=6e-5)
    divergence_by_hand = sum(x * math.log(x / y) for x, y in zip(a, b, strict=True))
    assert as_number(divergence) == pytest.approx(divergence_by_hand, abs=6e-5)
    assert as_number(change[1:].split(",")[0]) == pytest.approx(
        output[0] - WORKED["output"][0][0], abs=6e-4
    )
    assert page.stage("a", "maps")["colours"] == page.stage("b", "maps")["colours"] == "weights"
    opened = Head("?" + urlencode(page.link))
    assert opened.data("maps")["stages"] == page.data("maps")["stages"]
    page.click("set-pin-Forget A")
    assert not page.has("maps")
    assert page.link == {"panel": "compare", "beta": "2"}


def test_a_query_is_chosen_in_the_compared_maps_too():
    page = four(panel="compare").click("set-pin-Pin this state as A")
    page.edit("maps", stage="a", at=[2, 1])
    assert page.data("stages")["query"] == 2
    assert page.data("maps")["cell"] == [2, 1]
    page.edit("maps", stage="difference", at=[2, 1])
    assert page.data("maps")["cell"] is None


def test_heads_of_two_shapes_cannot_be_compared_and_the_page_says_why(page):
    page.set("panel", "compare").click("set-pin-Pin this state as A").write("q", "1 0", "0 1")
    [warning] = page.warnings
    assert warning.startswith("A and B can't be compared: ")
    assert "(1, 2)" in warning
    assert "(2, 2)" in warning
    assert not page.has("maps")
    page.remove("q", "row", 1)
    assert page.has("maps")


def test_a_pinned_state_keeps_its_mask_scale_policy_and_matrices():
    page = Head("?q=3_1&mask=causal&align=top-left&panel=compare")
    page.click("set-pin-Pin this state as A").set("presets", "worked-example")
    assert page.link == {"preset": "worked-example"}  # a preset is a whole state: A is gone
    page = Head("?q=3_1&hide=0:0&scale=2&panel=compare").click("set-pin-Pin this state as A")
    page.toggle(0, 0).toggle(0, 1).set("scale", "on")
    assert page.texts("a", "maps") == [["0", "1"]]
    assert page.stage("a", "maps")["masked"] == [[True, False]]
    assert page.texts("b", "maps") == [["1", "0"]]
    assert page.cells("distances")[0][:2] == ["1", "∞"]


def test_in_a_pinned_limit_no_weight_underflowed():
    page = Head("?beta=inf&panel=compare").click("set-pin-Pin this state as A")
    page.temperature("beta", "1")
    assert page.texts("a", "maps") == [["1", "0"]]


@pytest.mark.parametrize("pin", ["AAAA", "x" * 500, "eJwDAAAAAAE="])
def test_a_damaged_pinned_state_says_so_and_nothing_fails(pin):
    page = Head("?" + urlencode({"pin": pin, "panel": "compare"}))
    assert page.warnings[0].startswith("pin in the link: ")
    assert not page.has("maps")
    assert not page.has("distances")
    assert page.texts("weights") == [["0.670", "0.330"]]


# -- links ----------------------------------------------------------------------------------------

DAMAGED = [
    ("q=1,x", "q"),
    ("q=1,2~3", "q"),
    ("q=", "q"),
    ("q=-inf,1", "q"),
    ("q=nan,1", "q"),
    ("q=" + "_".join("1" * 65), "q"),
    ("q=1,2,3", "q"),
    ("k=1,2,3", "k"),
    ("v=1,2", "v"),
    ("v=1;2;3", "v"),
    ("tokens=a_b", "tokens"),
    ("keys=a", "keys"),
    ("mask=hide", "mask"),
    ("align=left", "align"),
    ("window=0", "window"),
    ("prefix=3", "prefix"),
    ("padding=-1", "padding"),
    ("block=x", "block"),
    ("hide=0:2", "hide"),
    ("hide=0", "hide"),
    ("show=1:0", "show"),
    ("empty=none", "empty"),
    ("scale=-inf", "scale"),
    ("scale=", "scale"),
    ("T=0", "T"),
    ("T=nan", "T"),
    ("beta=-1", "beta"),
    ("row=1", "row"),
    ("row=-1", "row"),
    ("cell=0:2", "cell"),
    ("cell=0:0_0:1", "cell"),
    ("panel=pairs", "panel"),
    ("orient=up", "orient"),
    ("view=cinema", "view"),
    ("edit=w", "edit"),
    ("stage=w", "stage"),
    ("pin=$", "pin"),
    ("preset=none-such", "preset"),
    ("preset=random-99999", "preset"),
    ("s=AAAA", "link is damaged"),
]


@pytest.mark.parametrize(("link", "name"), DAMAGED)
def test_a_damaged_part_of_a_link_gives_its_default_and_one_line_that_names_it(link, name):
    page = Head(f"?{link}")
    [note] = page.warnings
    assert name in note
    shows(page, Q, K, V)
    assert all(page.has(part) for part in ALWAYS)
    assert page.widget("panel").value == "entropy"


def test_the_note_about_a_damaged_link_goes_with_the_next_change():
    page = Head("?q=1,x").temperature("T", "2")
    assert page.warnings == []
    assert page.link == {"T": "2"}


def test_of_a_damaged_link_the_other_parts_are_kept():
    page = Head("?q=1,2,3&k=1,0,0,0&T=2&hide=0:9&panel=received")
    assert sorted(note.split()[0] for note in page.warnings) == ["hide", "k", "q"]
    shows(page, Q, K, V, beta=0.5)
    assert page.has("received")


def test_unknown_names_are_ignored_and_of_a_repeated_name_the_last_counts():
    page = Head("?foo=1&q=5,5&utm_source=x&q=0,1&scores=1,2")
    assert page.warnings == []
    shows(page, [[0, 1]], K, V)


def test_typing_rewrites_the_link_and_the_link_opens_the_same_head():
    page = four(tokens="a_b_c_d").write("k", *["1/3 0 0 1"] * 4).set("mask", ["causal"])
    page.toggle(0, 1).set("scale", "2").temperature("beta", "1/2").choose("scores", 3, 1)
    page.set("empty", "uniform").set("orient", "columns").set("panel", "received")
    page.write("k", names=["w", "x", "y", "z"])
    assert page.link == {
        "preset": "random-0",
        "tokens": "a_b_c_d",
        "keys": "w_x_y_z",
        "k": "~".join(["1/3_0_0_1"] * 4),
        "mask": "causal",
        "show": "0:1",
        "scale": "2",
        "beta": "1/2",
        "row": "3",
        "cell": "3:1",
        "empty": "uniform",
        "orient": "columns",
        "panel": "received",
    }
    opened = Head("?" + urlencode(page.link))
    assert opened.data("stages")["stages"] == page.data("stages")["stages"]
    assert opened.bars.tolist() == page.bars.tolist()
    assert opened.matrix("k") == page.matrix("k")
    assert opened.warnings == []


def test_back_takes_a_change_back_and_the_editors_follow(page):
    page.write("q", "5 0").toggle(0, 1).set("mask", ["padding"]).temperature("T", "2")
    rev = page.data("q")["rev"]
    page.move("?q=5_0")
    assert page.data("q")["rev"] != rev  # the editors take the state over
    assert page.widget("mask").value == []
    shows(page, [[5, 0]], K, V)
    page.move("")
    shows(page, Q, K, V)
    assert page.matrix("q") == [["1", "0"]]


def test_a_preset_after_an_edit_shows_the_preset_and_back_shows_the_edit():
    page = Head().write("k", "9 0", "0 1").set("presets", "identity")
    assert page.matrix("k")[0] == ["1", "0", "0"]
    page.set("presets", "random-0")
    shows(page, *FOUR)
    page.move("?preset=identity")
    assert page.matrix("k")[0] == ["1", "0", "0"]
    page.move("?k=9_0~0_1")
    shows(page, Q, [[9, 0], [0, 1]], V)


def test_reset_goes_back_to_what_the_link_opened():
    page = Head("?q=3,1&T=2&mask=causal&align=top-left&panel=received&row=none")
    page.write("q", cells=[["x", "0"]]).set("scale", "y").set("presets", "identity")
    page.write("v", "1", "2", "3").click("reset")
    assert page.matrix("q") == [["3", "1"]]
    assert page.texts("output") == [["2", "0"]]
    assert page.data("stages")["query"] is None
    assert page.warnings == []
    assert page.errors == []
    assert page.widget("scale").value == "on"


def test_the_state_is_kept_while_another_page_is_looked_at(page):
    page.write("q", "3 1").temperature("T", "0.5").set("mask", ["causal"]).toggle(0, 0)
    link, bars = page.link, page.bars.tolist()
    page.go("softmax")
    assert page.link == {}
    page.go("attention")
    assert (page.link, page.bars.tolist()) == (link, bars)


def test_another_file_is_refused_with_a_sentence_and_the_head_stays(page):
    page.write("q", "3 1").set("panel", "export")
    for content in (b"", b"q=1,2", b"\x89PNG\r\n\x1a\n\0", b"x" * 300_000, "é".encode("utf-16")):
        page.set("file", ("a.txt", content, "text/plain"))
        [note] = page.warnings
        assert "nothing was read" in note
        shows(page, [[3, 1]], K, V)


# -- matrices that are equal, edits that are stale or junk ----------------------------------------


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_in_the_identity_preset_an_edit_of_one_matrix_changes_only_that_one(name):
    page, other = Head("?preset=identity"), Head("?preset=identity")
    unit = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
    changed = [["1", "7", "0"], *unit[1:]]
    page.write(name, cells=changed)
    matrices = {n: changed if n == name else unit for n in ("q", "k", "v")}
    assert {n: page.matrix(n) for n in matrices} == matrices
    shows(page, *([[float(x) for x in row] for row in m] for m in matrices.values()))
    assert page.link == {"preset": "identity", name: "1_7_0~0_1_0~0_0_1"}
    assert all(other.run().matrix(n) == unit for n in matrices)
    assert Head("?preset=identity").matrix(name) == unit


def test_an_edit_of_an_older_revision_changes_nothing(page):
    stale = {"rev": page.data("q")["rev"], "live": False, "cells": [["9", "9"]], "names": ["q1"]}
    page.set("presets", "identity")
    for n, part, edit in ((10**9, "q", stale), (10**9 + 1, "stages", stale | {"toggle": [0, 0]})):
        page.send(part, {"edit": edit | {"n": n}})
        assert page.link == {"preset": "identity"}
        assert page.texts("scores")[0] == ["1", "0", "0"]


JUNK = [
    {},
    {"cells": None},
    {"cells": []},
    {"cells": [[]]},
    {"cells": [["1", "0"], ["1"]], "names": ["a", "b"]},
    {"cells": [[1, 0]], "names": ["a"]},
    {"cells": "10", "names": ["a"]},
    {"cells": [["1", "0"]], "names": None},
    {"cells": [["1", "0"]], "names": ["a", "b"]},
    {"cells": [["1", "0"]], "names": [1]},
    {"cells": [["1"] * 65], "names": ["a"]},
    {"cells": [["1", "0"]] * 65, "names": ["a"] * 65},
    {"cells": {"0": ["1"]}, "names": ["a"]},
]


def test_junk_from_an_editor_changes_nothing(page):
    for edit, name in zip(JUNK, itertools.cycle("qkv"), strict=False):
        page.edit(name, **edit)
        assert page.link == {}
        assert "errors" not in page.data(name)
        shows(page, Q, K, V)


def test_junk_beside_good_cells_does_not_fail(page):
    junk = [
        {"removed": ["row", 9]},
        {"removed": ["diagonal", 0]},
        {"removed": "row"},
        {"removed": [["row"], 0]},
        {"removed": ["row", True]},
        {"removed": ["column", -1]},
        {"text": 5},
        {"paste": None},
        {"fix": True},
        {"labels": 5, "hide": "all", "row": []},
    ]
    for number, more in enumerate(junk):
        shows(page.write("q", f"{number} 0", **more), [[number, 0]], K, V)
    for number, at in enumerate(("here", [-1, 0], [0], None)):
        shows(page.write("q", paste=f"{number}", at=at), [[number, 0]], K, V)


STAGE_JUNK = [
    {},
    {"toggle": [9, 9]},
    {"toggle": [True, False]},
    {"toggle": ["0", "1"]},
    {"toggle": [-1, 0]},
    {"toggle": [0.0, 1.0]},
    {"toggle": []},
    {"toggle": [[0], [1]]},
    {"toggle": "0:1"},
    {"stage": "scores", "at": [9, 0]},
    {"stage": "scores", "at": [0, 9]},
    {"stage": "scores", "at": [0]},
    {"stage": "scores", "at": ["0", "1"]},
    {"stage": "scores", "at": [True, None]},
    {"stage": "scores", "at": [None, None]},
    {"stage": ["scores"], "at": [[0], 1]},
    {"at": [10**30, 0]},
]


def test_junk_from_the_stages_changes_nothing():
    page = four(row="1")
    for edit in STAGE_JUNK:
        page.edit("stages", **edit)
        assert page.link == {"preset": "random-0", "row": "1"}
        shows(page, *FOUR)


def test_a_part_that_holds_no_edit_at_all_is_left_alone(page):
    values = (None, 5, "edit", [], {"edit": 5}, {"edit": {"rev": 1, "n": 2}})
    for value, part in zip(values, itertools.cycle(("q", "stages", "temperature")), strict=False):
        page.send(part, value)
        shows(page, Q, K, V)


# -- what can be taken away -----------------------------------------------------------------------

SCRIPTS = {
    "the worked example": "",
    "its causal variant": "preset=worked-example-causal",
    "expressions": "q=1/3,sqrt(2)&k=1/sqrt(2),0;-1,2",
    "a random head": "preset=random-0&row=2",
    "another temperature": "preset=random-0&T=0.7",
    "beta as a fraction": "preset=random-0&beta=1/3",
    "the limit T to infinity": "preset=random-0&beta=0&mask=causal&row=3",
    "the limit T to 0": "preset=random-0&beta=inf&mask=causal&row=3",
    "ties in the limit T to 0": "q=1_0&k=2_0~2_1~1_0&v=1~3~9&beta=inf",
    "no scale": "preset=saturated",
    "a scale of its own": "preset=lookup",
    "masks and toggled cells": "preset=random-0&mask=causal_window&hide=2:2&show=0:3&row=2",
    "a query without a key, zeros": "preset=all-masked-row",
    "a query without a key, uniform": "preset=all-masked-row&empty=uniform&row=1",
    "a query without a key, NaN": "preset=all-masked-row&empty=nan&row=1",
    "different tokens": "preset=alignment",
    "a hidden key of huge numbers": "q=1,0&k=1,0;1e300,1&v=1,2;1e308,-1e308&hide=0:1",
    "columns are queries": "preset=random-0&orient=columns&row=1",
    "nasty labels": "tokens=%27%0Araise&keys=%22_%5C",
    "a real head": "preset=minilm-previous&row=1",
}


@pytest.fixture(scope="module")
def scripts():
    """Run the NumPy text of every state in one process of its own; return what it computes."""
    pages = {name: Head(f"?{link}&panel=export") for name, link in SCRIPTS.items()}
    code = (
        "import json, sys, warnings\nwarnings.simplefilter('error')\nout = {}\n"
        "for name, text in json.load(sys.stdin).items():\n"
        "    names = {}\n    exec(compile(text, name, 'exec'), names)\n"
        "    out[name] = names['weights'].tolist(), names['output'].tolist()\n"
        "print('\\0' + json.dumps(out))\n"
    )
    process = subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=json.dumps({name: page.at.code[0].value for name, page in pages.items()}),
        capture_output=True, text=True, check=True, encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    computed = json.loads(process.stdout.rpartition("\0")[2])
    return {name: (page, *computed[name]) for name, page in pages.items()}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_numpy_text_on_the_page_computes_the_numbers_on_the_page(name, scripts):
    page, weights, output = scripts[name]
    row = page.data("stages")["query"]
    if page.has("bars"):
        assert weights[row] == page.bars.tolist()  # to the last digit
    turned = zip(*weights, strict=True) if page.data("stages")["flip"] else weights
    z = page.figure("heatmap")["data"][0]["z"]
    assert np.asarray(z).shape == (len(weights), len(weights[0]))
    assert page.numbers("weights") == [
        pytest.approx(list(r), abs=6e-4, nan_ok=True) for r in turned
    ]
    turned = zip(*output, strict=True) if page.data("stages")["flip"] else output
    assert page.numbers("output") == [
        pytest.approx(list(r), abs=6e-4, rel=6e-4, nan_ok=True) for r in turned
    ]


def test_a_script_stops_where_the_policy_is_an_error():
    page = Head("?preset=all-masked-row&empty=error&panel=export")
    with pytest.raises(ValueError, match=r"rows \[0\]"):
        exec(page.at.code[0].value, {})


def test_the_pytorch_text_names_its_own_polarity_and_the_latex_the_chosen_query():
    page = Head("?preset=alignment&panel=export")
    torch, latex = page.at.code[1].value, page.at.code[2].value
    assert "scaled_dot_product_attention" in torch
    assert "True" in torch
    assert "gatos" in latex
    page.choose("output", 1, None)
    assert len(page.at.code) == 2  # no query is chosen


def test_the_csv_holds_every_digit_of_every_pair():
    tokens = write_list(["=1+1", "a,b", "the", "the"])
    page = four(mask="causal", tokens=tokens, row="2", panel="export")
    text = page.download("Weights as CSV")
    assert next(csv.reader(io.StringIO(text)))[:2] == ["query", "key"]
    table = read_table_csv(text)
    assert table.query[:5] == ("=1+1",) * 4 + ("a,b",)
    assert list(table.weight[8:12]) == page.bars.tolist()
    assert sum(table.masked) == 6


def test_the_json_is_strict_and_reads_back_as_the_same_head():
    page = Head("?preset=all-masked-row&empty=nan&row=2&panel=export")

    def refuse(word):
        raise AssertionError(f"{word} isn't JSON")

    text = page.download("JSON")
    json.loads(text, parse_constant=refuse)
    head = read_json(text)
    assert head.steps.weights[2].tolist() == page.bars.tolist()
    assert head.tokens == ("[PAD]", "cats", "purr")
    assert head.empty == "nan"


def test_the_npz_opens_without_pickles_and_holds_the_head():
    page = Head("?preset=random-0&mask=causal&row=2&panel=export")
    with np.load(io.BytesIO(page.download("NPZ")), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    assert arrays["weights"][2].tolist() == page.bars.tolist()
    assert arrays["q"].tolist() == FOUR[0]
    assert {tuple(pair) for pair in np.argwhere(~arrays["allowed"]).tolist()} == CAUSAL


def test_the_file_of_a_head_opens_the_same_head_for_another_visitor(page):
    link = "?preset=random-0&q=1/3_0_0_1&mask=causal&hide=0:1&scale=2&beta=1/2&panel=export"
    text = Head(link).download("State as a file")
    page.set("panel", "export").set("file", ("a.txt", text.encode(), "text/plain"))
    assert page.warnings == []
    assert page.data("stages")["stages"] == Head(link).data("stages")["stages"]


# -- labels that look like markup -----------------------------------------------------------------


def test_labels_that_look_like_markup_arrive_letter_for_letter_everywhere():
    ones = "~".join("1" * len(NASTY))
    link = "?" + urlencode({"q": ones, "k": ones, "v": ones, "edit": "q"})
    page, plain = Head(link).write("q", names=NASTY).set("edit", "none"), Head(link)
    expected = [label.replace("\ud83d", "\ufffd") for label in NASTY]
    plain.set("edit", "none")
    for panel in PANELS:
        page.set("panel", panel)
        assert page.stage("weights")["rows"] == expected
        assert page.stage("weights")["columns"] == expected
        assert [row["label"] for row in page.data("gather")["rows"]] == expected
        assert markdown_of(page) == markdown_of(plain.set("panel", panel))
    page.set("panel", "entropy")
    assert [row["label"] for row in page.data("entropies")["rows"]] == expected
    opened = Head("?" + urlencode(page.link))
    assert opened.stage("weights")["rows"] == expected
    assert opened.warnings == []


def test_nasty_labels_of_keys_stand_in_tables_captions_and_warnings():
    keys = ["$x$", "<b>x</b>", ":red[hi]"]
    numbers = "q=1~2&k=1~2~3&v=1~2~3&hide=1:0_1:1_1:2&cell=0:1"
    page = Head(f"?{numbers}&" + urlencode({"keys": write_list(keys), "tokens": "![x](y)_</s>"}))
    assert page.stage("masked")["columns"] == keys
    assert [row["label"] for row in page.data("gather")["rows"]] == keys
    assert page.data("dot")["caption"].startswith("Score of ![x](y) for <b>x</b>:")
    assert page.warnings[0].startswith("Query “</s>” has no allowed key")
    page.set("panel", "policies")
    assert page.data("policies")["rows"][0]["label"] == "</s>, error"


# -- the lecture view -----------------------------------------------------------------------------


def test_the_lecture_view_keeps_the_numbers_and_leaves_out_the_small_tools(page):
    page.click("view-switch")
    assert page.link == {"view": "lecture", "step": "1"}
    assert page.data("q")["compact"] is True
    assert not page.has("reset")
    for _ in range(5):
        page.click("step-Next")
    assert page.link == {"view": "lecture"}
    shows(page, Q, K, V)
    page.write("q", "0 1")
    shows(page, [[0, 1]], K, V)
    page.click("view-switch")
    assert page.link == {"q": "0_1"}


def test_a_lecture_steps_through_the_stages_and_hides_what_comes(page):
    page = Visit("attention", "?preset=worked-example&view=lecture&step=1")
    seen = [(), ("scores",), ("scores", "scaled"), ("scores", "scaled", "masked")]
    for stages in seen:
        drawn = [stage["id"] for stage in page.data("stages")["stages"]] if stages else []
        assert drawn == list(stages)
        assert page.has("predict")
        assert "0.6698" not in page.everything
        assert "1.3395" not in page.everything
        assert not any(page.has(name) for name in ("steps", "bars", "gather", "panel"))
        page.click("step-Next")
    assert [stage["id"] for stage in page.data("stages")["stages"]][-1] == "weights"
    assert "0.6698" in page.everything
    assert "1.3395" not in page.everything
    assert page.has("bars")
    assert not page.has("predict")
    page.click("step-Next")
    assert "1.3395" in page.everything
    assert page.link == {"preset": "worked-example", "view": "lecture"}
    page.click("step-Back")
    assert "1.3395" not in page.everything


def test_of_a_large_head_a_lecture_shows_the_stage_of_its_step():
    zeros = "_".join(["0"] * 26).replace("_", "~")
    page = Visit("attention", f"?q={zeros}&k={zeros}&v={zeros}&view=lecture&step=1")
    for stage in ("scores", "scaled", "masked", "weights"):
        page.click("step-Next")
        assert [drawn["id"] for drawn in page.data("stages")["stages"]] == [stage]
    page.click("step-Next")
    assert page.widget("stage").value == "weights"


def test_a_query_without_a_key_is_told_when_the_masks_are_shown():
    page = Visit("attention", "?preset=all-masked-row&view=lecture&step=3")
    assert not page.has("empty-rows")
    assert page.click("step-Next").has("empty-rows")


def test_a_state_that_is_too_large_to_pin_says_so_and_its_file_opens_again():
    rng = np.random.default_rng(0)
    rows = "~".join("_".join(repr(x * 1e-5) for x in row) for row in rng.normal(size=(64, 64)))
    content = f"attnviz state of the page attention\nq={rows}&k={rows}&v={rows}&panel=compare"
    page = Visit("attention", "?panel=export")
    page.at.get("file_uploader")[0].upload("state.txt", content.encode(), "text/plain")
    page.run()
    assert words.TOO_LARGE_TO_PIN in page.warnings
    assert not any(button.label == "Pin this state as A" for button in page.at.button)
    saved = page.set("panel", "export").download("State as a file").encode()
    assert len(saved) > 256 * 1024
    again = read_file("attention", saved, AttentionState, {})
    assert again.notes == ()
    assert len(again.state.q) == 64
