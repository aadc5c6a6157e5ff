"""The three laboratories: from typed text to the numbers on the screen."""

import csv
import io
import subprocess
import sys
from unittest.mock import patch
from urllib.parse import urlencode

import numpy as np
import pytest

from attnviz.content import numerics as numerics_words
from attnviz.content import sampling as sampling_words
from attnviz.content import scaling as scaling_words
from attnviz.core.formats import FORMATS, format_steps
from attnviz.core.sampling import draw, filtered
from attnviz.core.scaling import draw_scores, scale_scores, variance
from attnviz.state.numerics import PANELS as NUMERICS_PANELS
from attnviz.state.sampling import PANELS as SAMPLING_PANELS
from attnviz.state.scaling import PANELS as SCALING_PANELS
from tests.pages.driver import Visit
from tests.pages.test_softmax import NASTY

PRESETS = {
    "numerics": numerics_words.PRESETS,
    "scaling": scaling_words.PRESETS,
    "sampling": sampling_words.PRESETS,
}
PANELS = {
    "numerics": NUMERICS_PANELS,
    "scaling": SCALING_PANELS,
    "sampling": SAMPLING_PANELS,
}
ALL = [(page, name) for page, presets in PRESETS.items() for name in presets]


def complaints(visit):
    return [w for w in visit.warnings if w != numerics_words.NOTHING]


@pytest.mark.parametrize(("page", "name"), ALL)
def test_a_preset_opens_by_its_link_without_a_complaint(page, name):
    visit = Visit(page, f"?preset={name}")
    assert visit.link == {"preset": name}
    assert complaints(visit) == []


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("numerics", "mask-all"),
        ("numerics", "half"),
        ("scaling", "two-keys"),
        ("sampling", "order"),
    ],
)
def test_every_panel_draws_without_a_complaint(page, name):
    visit = Visit(page, f"?preset={name}")
    for panel in PANELS[page]:
        if visit.widget("panel").value != panel:
            visit.set("panel", panel)
        assert complaints(visit) == []


def test_every_page_has_at_least_six_presets():
    assert all(len(presets) >= 6 for presets in PRESETS.values())


@pytest.mark.parametrize(
    ("page", "params", "named"),
    [
        ("sampling", {"logits": "1_x"}, "logits"),
        ("sampling", {"top_k": "0"}, "top_k"),
        ("sampling", {"top_p": "0"}, "top_p"),
        ("sampling", {"top_p": "1.1"}, "top_p"),
        ("sampling", {"min_p": "-1"}, "min_p"),
        ("sampling", {"order": "p-k"}, "order"),
        ("sampling", {"draws": "100001"}, "draws"),
        ("sampling", {"seed": "x"}, "seed"),
        ("sampling", {"labels": "a_b"}, "labels"),
        ("sampling", {"hide": "99"}, "hide"),
        ("scaling", {"d_k": "0"}, "d_k"),
        ("scaling", {"d_k": "1025"}, "d_k"),
        ("scaling", {"n_k": "1"}, "n_k"),
        ("scaling", {"draws": "1001"}, "draws"),
        ("scaling", {"pick": "1000"}, "pick"),
        ("scaling", {"study": "maybe"}, "study"),
        ("numerics", {"scores": "1~2"}, "scores"),
        ("numerics", {"shift": "-inf"}, "shift"),
        ("numerics", {"format": "float8"}, "format"),
        ("numerics", {"values": "1 2"}, "values"),
        ("numerics", {"block": "0"}, "block"),
        ("numerics", {"at": "65"}, "at"),
    ],
)
def test_a_damaged_part_of_a_link_gives_its_default_and_one_line_that_names_it(page, params, named):
    visit = Visit(page, f"?{urlencode(params)}")
    [note] = visit.warnings
    assert note.startswith(f"{named} in the link: ")
    assert visit.link == dict(params)  # the address stays until something is changed


# -- sampling -------------------------------------------------------------------------------------


def sampled(link=""):
    return Visit("sampling", link)


def test_the_bars_are_the_filtered_probabilities_and_the_grey_ones_all_words():
    page = sampled("?logits=2_1_1_0&labels=a_b_c_d&top_k=2&T=0.5")
    result = filtered([2, 1, 1, 0], beta=2, top_k=2)
    bars = page.figure("bars")["data"]
    assert bars[0]["y"].tolist() == result.probabilities.tolist()
    behind = next(trace for trace in bars if trace.get("name") == "over all words")
    assert behind["y"] == pytest.approx(result.full)
    assert page.data("bars")["alt"].endswith("d cut.")
    page.set("panel", "filters")
    rows = page.cells("filters")
    assert [row[3] for row in rows] == ["kept", "kept", "kept", "cut"]
    assert page.foot("filters")[1] == "1"


@pytest.mark.parametrize(
    ("name", "typed", "kept"),
    [
        ("top_k", "1", [1, 0, 0, 0]),
        ("top_k", "2", [1, 1, 1, 0]),  # a tie at the edge
        ("top_p", "0,5", [1, 0, 0, 0]),
        ("top_p", "0.8", [1, 1, 1, 0]),
        ("min_p", "1/3", [1, 1, 1, 0]),
        ("min_p", "0.1", [1, 1, 1, 1]),
        ("top_k", "off", [1, 1, 1, 1]),
    ],
)
def test_a_filter_that_is_typed_keeps_what_it_says(name, typed, kept):
    page = sampled("?logits=2_1_1_0").set(name, typed)
    page.set("panel", "filters")
    assert [row[-2] == "kept" for row in page.cells("filters")] == [bool(k) for k in kept]
    assert page.bars[np.array(kept) == 0].tolist() == [0] * kept.count(0)
    assert page.bars.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["top_k", "top_p", "min_p"])
def test_a_filter_that_cannot_be_stays_in_its_box_and_nothing_is_drawn(name):
    page = sampled("?logits=2_1_1_0").set(name, "-3")
    assert page.widget(name).value == "-3"
    assert not page.has("bars")
    page.set(name, "off")
    assert page.has("bars")


def test_T_0_is_greedy_and_says_so_and_ties_share():
    page = sampled("?logits=2_2_1").temperature("beta", "inf")
    assert page.bars.tolist() == [0.5, 0.5, 0]
    assert sampling_words.GREEDY in [c.value for c in page.at.caption]


def test_the_order_of_temperature_and_filters_matters_and_is_in_the_link():
    page = sampled("?logits=4_3_2_1_0&T=2&top_p=0.9")
    first = (page.bars > 0).sum()
    page.set("order", "k-p-m-T")
    assert (page.bars > 0).sum() < first
    assert page.link["order"] == "k-p-m-T"


def test_the_same_seed_draws_the_same_words_and_more_draws_come_nearer():
    page = sampled("?logits=2_1_0&draws=100&seed=5")
    counts = draw(filtered([2, 1, 0]).probabilities, 100, 5)
    assert page.figure("frequencies")["data"][0]["y"] == pytest.approx(counts / 100)
    gaps = [float(text) for text in page.foot("growth")[:3]]
    page.click("set-draws-100,000")
    assert page.link["draws"] == "100000"
    later = [float(text) for text in page.foot("growth")[:5]]
    assert later[-1] < 0.01 < gaps[0]
    assert sampled(f"?{urlencode(page.link)}").figure("frequencies")["data"][0]["y"].tolist() == (
        page.figure("frequencies")["data"][0]["y"].tolist()
    )


def test_with_every_word_masked_there_is_nothing_to_draw():
    page = sampled("?logits=2_1&hide=0_1")
    assert page.warnings == [sampling_words.NOTHING]
    assert not page.has("bars")


SAMPLED = ["", "?top_k=3&T=0.7", "?preset=order", "?preset=greedy"]
SAMPLED += ["?logits=2_1_1_0&top_k=2&min_p=0.1&order=m-k-p-T&hide=0"]


def test_the_script_of_the_sampling_page_gives_the_numbers_on_the_page():
    pages = [sampled(link).set("panel", "export") for link in SAMPLED]
    lines = run("\n".join(page.at.code[0].value for page in pages))  # one process for all
    for page in pages:
        own, lines = lines[: len(page.bars)], lines[len(page.bars) :]
        probabilities = [float(line.split()[-2]) for line in own]
        assert probabilities == pytest.approx(page.bars.tolist(), rel=1e-15, abs=0)
        assert sum(int(line.split()[-1]) for line in own) == 100
        table = list(csv.DictReader(io.StringIO(page.download("Table as CSV"))))
        assert [float(row["probability"]) for row in table] == page.bars.tolist()
    assert lines == []


@pytest.mark.parametrize("page", list(PRESETS))
def test_the_latex_table_has_a_line_for_each_key_with_all_digits(page):
    visit = Visit(page, "?panel=export")
    [latex] = [code.value for code in visit.at.code if code.language == "latex"]
    lines = latex.splitlines()
    rows = list(csv.DictReader(io.StringIO(visit.download("Table as CSV"))))
    assert lines[0].startswith(r"\begin{tabular}{l")
    assert len(lines) == len(rows) + 3
    last = next(reversed(rows[0]))
    for line, row in zip(lines[2:-1], rows, strict=True):
        entry = line.removesuffix(r" \\").split(" & ")[-1]
        if entry in ("yes", "no"):
            assert entry == row[last]
        else:
            digits = entry.strip("$").replace(r" \cdot 10^{", "e").replace("}", "")
            assert float(digits) == float(row[last])


def run(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip().splitlines()


# -- scaling --------------------------------------------------------------------------------------


def test_fewer_draws_than_the_one_that_is_looked_at_show_the_last():
    page = Visit("scaling", "?panel=slope&pick=150&draws=200").set("draws", "100")
    assert page.warnings == []
    assert "Draw 100 of 100" in [m.value for m in page.at.markdown]
    page.click("set-pick-Another draw")
    assert "Draw 1 of 100" in [m.value for m in page.at.markdown]


def test_the_same_scores_are_drawn_once():
    with patch("attnviz.core.scaling.draw_scores", wraps=draw_scores) as drawing:
        page = Visit("scaling", "?d_k=16&draws=50&n_k=8&seed=77")
        page.set("panel", "slope").set("panel", "export")
        Visit("scaling", "?d_k=16&draws=50&n_k=8&seed=77&pick=3")
        assert drawing.call_count == 1
        page.set("seed", "78")
        assert drawing.call_count == 2


def test_the_spread_of_the_drawn_scores_is_measured():
    page = Visit("scaling", "?d_k=16&draws=50&n_k=8&seed=3")
    scores = draw_scores(16, 8, 50, 3)
    facts = {item["term"]: item for item in page.data("facts")["items"]}
    assert float(facts["Variance of the scores"]["value"]) == pytest.approx(
        variance(scores), abs=1e-4
    )
    scaled = variance(scale_scores(scores, 16))
    assert float(facts["of the scaled ones"]["value"]) == pytest.approx(scaled, abs=1e-4)
    histogram = page.figure("spread-raw")["data"]
    assert (histogram[0]["y"] * page.figure("spread-raw")["data"][0]["width"] / 0.96).sum() == (
        pytest.approx(1, rel=1e-5)
    )
    assert histogram[1]["name"] == "normal, variance 16"
    page.set("d_k", "4")
    assert page.figure("spread-raw")["data"][1]["name"] == "normal, variance 4"
    assert page.link == {"d_k": "4", "draws": "50", "n_k": "8", "seed": "3"}


def test_the_study_runs_when_it_is_asked_for_and_once():
    page = Visit("scaling", "?panel=study&draws=5&n_k=4")
    assert not page.has("study")
    page.click(f"set-study-{scaling_words.RUN}")
    assert page.link["study"] == "on"
    lines = page.figure("study-largest")["data"]
    means = [trace["y"] for trace in lines if trace.get("mode") == "lines+markers"]
    assert means[0][-1] > 0.9 > means[1][-1]
    assert page.cells("study")[0][0].startswith(f"{means[0][0]:.4f} ± ")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnviz.core.scaling.study_steps", None)  # it is remembered
        page.set("panel", "spread").set("panel", "study")
    assert page.cells("study")[0][0].startswith(f"{means[0][0]:.4f} ± ")
    page.set("seed", "1")
    assert not page.cells("study")[0][0].startswith(f"{means[0][0]:.4f} ± ")


def test_the_slope_of_one_draw_is_that_of_its_weights():
    page = Visit("scaling", "?preset=two-keys")
    rows = [[float(cell.replace("−", "-")) for cell in row] for row in page.cells("slopes")]
    for _, raw, slope, scaled, scaled_slope in rows:
        assert slope == pytest.approx(raw * (1 - raw), abs=1e-4)
        assert scaled_slope == pytest.approx(scaled * (1 - scaled), abs=1e-4)
    page.click("set-pick-Another draw")
    assert page.link == {"preset": "two-keys", "pick": "1"}


def test_a_number_that_cannot_be_is_named_and_nothing_is_drawn():
    page = Visit("scaling").set("d_k", "x")
    assert page.widget("d_k").value == "x"
    assert not page.has("facts")
    page.set("d_k", "8")
    assert page.has("facts")


def test_the_script_of_the_scaling_page_draws_the_same_scores():
    page = Visit("scaling", "?d_k=32&draws=20&n_k=5&seed=2&panel=export")
    first = run(page.at.code[0].value)[0].split()
    assert float(first[1]) == pytest.approx(variance(draw_scores(32, 5, 20, 2)), rel=1e-12)


# -- number formats -------------------------------------------------------------------------------


def test_float16_overflows_at_11_1_and_the_others_do_not():
    page = Visit("numerics", "?scores=0_-1_-2").set("shift", "11.1")
    rows = {row["label"].split()[0]: row["cells"] for row in page.data("overview")["rows"]}
    assert rows["float16"][1].startswith("nan, 0 (÷ inf)")
    assert rows["float16"][2] == "exp of k1"
    assert [rows[name][2] for name in ("bfloat16", "float32", "float64")] == ["none"] * 3
    assert rows["float16"][3] == "0.665, 0.245, 0.090"
    page.set("shift", "88.73")
    assert [r["cells"][2] for r in page.data("overview")["rows"]] == [
        "exp of k1, k2, k3", "the sum", "exp of k1", "none",
    ]  # fmt: skip
    page.set("shift", "709.79")
    assert page.data("overview")["rows"][3]["cells"][2] == "exp of k1"


@pytest.mark.parametrize("name", FORMATS)
def test_the_bars_are_the_weights_of_the_format(name):
    page = Visit("numerics", f"?scores=2_1_0_-9_-30&format={name}")
    for way, stable in (("naive", False), ("stable", True)):
        bars = page.figure(f"bars-{way}")["data"][0]["y"]
        steps = format_steps([2, 1, 0, -9, -30], name, stable=stable)
        assert bars.tolist() == steps.weights.tolist()


def test_a_masked_key_and_an_underflowed_weight_look_different():
    page = Visit("numerics", "?scores=0_-30_1&hide=2")
    rows = page.cells("steps")
    assert rows[1][5] == "0 (underflow)"
    assert rows[2][5] == "masked"
    assert rows[1][8] == "−30"


@pytest.mark.parametrize("link", ["?scores=1e308_0&shift=1e308",
                                  "?scores=-1e308_0&shift=-1e308&panel=masks"])  # fmt: skip
def test_a_shift_beyond_float64_is_told_and_nothing_is_drawn(link):
    page = Visit("numerics", link)
    [said] = page.warnings
    assert "too large for float64" in said
    assert not page.has("overview")
    page.set("shift", "1")
    assert page.has("overview")


def test_log_sum_exp_moves_with_its_input():
    page = Visit("numerics", "?scores=2_1_0&shift=100")
    before, after, difference = (item["value"] for item in page.data("lse")["items"])
    assert float(after) - float(before) == pytest.approx(100)
    assert difference == "100"


def test_masks_by_number_are_told_by_what_they_do():
    page = Visit("numerics", "?preset=mask-all")
    rows = {row["label"]: row["cells"] for row in page.data("masks")["rows"]}
    verdicts = {label: [cell.split(":")[0] for cell in cells] for label, cells in rows.items()}
    assert verdicts["score −∞"] == ["nan"] * 4
    assert verdicts["score + (−1e9)"] == ["nan", "uniform", "uniform", "unmasked"]
    assert verdicts["weight × 0, after"] == ["vanishes"] * 4
    page.click(f"set-hide-{numerics_words.HIDE_ONE}")
    rows = {row["label"]: row["cells"] for row in page.data("masks")["rows"]}
    assert [cell.split(":")[0] for cell in rows["score −∞"]] == ["exact"] * 4
    assert [cell.split(":")[0] for cell in rows["score × 0, before"]] == ["leaks"] * 4


def test_blocks_are_read_one_a_press_and_end_at_the_ordinary_result():
    page = Visit("numerics", "?preset=online")
    assert len(page.cells("online")) == 1
    page.click(f"set-at-{numerics_words.NEXT}").click(f"set-at-{numerics_words.NEXT}")
    assert len(page.cells("online")) == 3
    assert page.cells("online")[-1][-1] == page.foot("online")[-1]
    assert page.link == {"preset": "online", "at": "3"}
    page.click(f"set-at-{numerics_words.NEXT}")
    assert len(page.cells("online")) == 3
    page.set("values_typed", "6 5 4 3 2 1")
    scores, values = np.array([1, 3, 0, 2, 5, 4.0]), np.array([6, 5, 4, 3, 2, 1.0])
    weights = np.exp(scores) / np.exp(scores).sum()
    assert float(page.foot("online")[-1]) == pytest.approx(weights @ values, abs=1e-4)


def test_other_ways_to_make_weights_have_their_sums():
    page = Visit("numerics", "?preset=sink")
    assert page.foot("variants")[1] == page.foot("variants")[3] == page.foot("variants")[4] == "1"
    assert float(page.foot("variants")[2]) < 1


def test_the_script_of_the_format_page_gives_the_numbers_on_the_page():
    cases = [(name, shift) for name in FORMATS for shift in ("0", "11.1", "-20")]
    scripts = []
    for name, shift in cases:
        link = f"?scores=2_1_0_-9&hide=1&format={name}&shift={shift}&panel=export"
        script = Visit("numerics", link).at.code[0].value
        scripts.append(script + "\nprint(*naive.tolist())\nprint(*stable.tolist())\n")
    lines = run("\n".join(scripts))  # one process for all; four lines from each
    assert len(lines) == 4 * len(cases)
    for at, (name, shift) in enumerate(cases):
        given = np.array([2, -np.inf, 0, -9]) + float(shift)
        for line, way in ((lines[4 * at + 2], False), (lines[4 * at + 3], True)):
            weights = format_steps(given, name, stable=way).weights
            got = np.array([float(x) for x in line.split()])
            assert got == pytest.approx(weights, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize("page", ["numerics", "sampling"])
def test_labels_that_look_like_markup_arrive_letter_for_letter(page):
    visit = Visit(page)
    visit.scores(" ".join("1" * len(NASTY)), labels=NASTY)
    expected = [label.replace("\ud83d", "\ufffd") for label in NASTY]
    assert visit.data("matrix")["labels"] == expected


@pytest.mark.parametrize("page", ["numerics", "sampling"])
def test_two_rows_are_refused_with_a_sentence(page):
    visit = Visit(page).line("1 2; 3 4")
    assert visit.data("matrix")["errors"]
    assert visit.data("matrix")["text"] == "1 2; 3 4"
