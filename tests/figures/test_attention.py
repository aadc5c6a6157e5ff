import html

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
import pytest

from attnviz.figures.attention import entropy_per_query, heatmap, received
from attnviz.figures.style import DIVERGING, SEQUENTIAL, colour_of
from tests.figures.decode import decoded
from tests.figures.test_style import NASTY, contrast

NAN, INF = np.nan, np.inf
CAUSAL = np.array([[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]])
LABELS = ["the", "cat", "saw", "the"]


def cells(z, rows=None, columns=None, texts=None, kind="weights", title="Weights A", **more):
    z = np.array(z, dtype=float)
    rows = [f"q{i}" for i in range(z.shape[0])] if rows is None else rows
    columns = [f"k{i}" for i in range(z.shape[1])] if columns is None else columns
    texts = [[f"{x:.4f}" for x in row] for row in z.tolist()] if texts is None else texts
    return heatmap(z, rows, columns, texts=texts, kind=kind, title=title, **more)


def causal(n=3, **more):
    return cells(np.full((n, n), 1 / n), masked=~np.tri(n, dtype=bool), **more)


def spread(labels=LABELS, entropies=(0, 0.5, 1, 1.3), empty=(0, 0, 0, 0), texts=None):
    ceilings = np.log(np.arange(1, len(labels) + 1))
    texts = [f"{x:.4f}" for x in entropies] if texts is None else texts
    empty = np.array(empty, dtype=bool)
    return entropy_per_query(labels, np.array(entropies), ceilings, texts, empty=empty)


def gained(labels=LABELS, totals=(2.25, 0.75, 0.5, 0.5), texts=None):
    return received(labels, np.array(totals), texts or [f"{x:.4f}" for x in totals])


def size(fig):
    return len(fig.to_json().encode())


def covered(fig, name):
    """The cells that the bars of a name cover, as a boolean matrix; None without such bars."""
    spec = decoded(fig)
    for trace in spec["data"]:
        if trace.get("name") == name:
            where = np.zeros(spec["data"][0]["z"].shape, dtype=bool)
            assert set(np.array(trace["y"]).tolist()) == {1}
            for x, base, width in zip(trace["x"], trace["base"], trace["width"], strict=True):
                ends = [base + 0.5, x - width / 2 + 0.5, x + width / 2 + 0.5]
                row, start, stop = map(int, ends)
                assert [row, start, stop] == ends
                where[row, start:stop] = True
            return where
    return None


def written(fig):
    """The texts in the cells, by place, with their colour (None: the colour of the page)."""
    found = {}
    for trace in decoded(fig)["data"][1:]:
        texts = trace.get("text", [])
        texts = [texts] * len(trace["x"]) if isinstance(texts, str) else texts
        for k, text in enumerate(texts):
            row = trace["base"][k] + 0.5 if trace["type"] == "bar" else trace["y"][k]
            place = int(row), int(trace["x"][k])
            assert place not in found
            found[place] = text.strip("\u2007"), trace.get("textfont", {}).get("color")
    return found


# heatmap


def test_cells_stand_at_positions_so_that_repeated_tokens_are_apart():
    z = (4 * np.arange(4)[:, None] + np.arange(4) + 1) / 136
    spec = decoded(cells(z, LABELS, LABELS))
    first, layout = spec["data"][0], spec["layout"]
    assert first["x"].tolist() == first["y"].tolist() == [0, 1, 2, 3]
    assert first["z"].tolist() == z.tolist()
    for axis in ("xaxis2", "yaxis2"):
        assert layout[axis]["tickvals"].tolist() == [0, 1, 2, 3]
        assert layout[axis]["ticktext"] == LABELS
    assert layout["xaxis"]["ticktext"][3] == "the (position 3)"


def test_the_first_query_is_on_top_and_cells_and_labels_keep_in_step():
    spec = decoded(cells(CAUSAL, masked=CAUSAL == 0))
    assert spec["data"][0]["y"].tolist() == [0, 1, 2]
    assert spec["data"][0]["z"][0].tolist() == pytest.approx([1, NAN, NAN], nan_ok=True)
    for one, other in (("xaxis", "xaxis2"), ("yaxis", "yaxis2")):
        assert spec["layout"][one]["range"] == spec["layout"][other]["range"]
    bottom, top = spec["layout"]["yaxis2"]["range"]
    assert bottom > 2.5
    assert top == -0.5
    assert spec["layout"]["yaxis2"]["ticktext"] == ["q0", "q1", "q2"]


def test_the_axes_say_who_asks_and_who_answers():
    layout = decoded(cells(CAUSAL))["layout"]
    assert layout["yaxis2"]["title"]["text"] == "query (asks)"
    assert layout["xaxis2"]["title"]["text"] == "key (answers)"
    assert layout["title"]["text"] == "Weights A"


@pytest.mark.parametrize("labels", [["in", "2020-01-01"], ["2020-01-01", "1"], ["-1", "1e1"]])
def test_dates_and_numbers_stay_labels_at_positions(labels):
    layout = decoded(cells([[0.5, 0.5]] * 2, labels, labels))["layout"]
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        assert layout[axis]["type"] == "linear"
        assert layout[axis]["tickvals"].tolist() == [0, 1]
    assert layout["xaxis2"]["ticktext"] == layout["yaxis2"]["ticktext"] == labels


@pytest.mark.parametrize("token", NASTY)
def test_a_token_is_shown_letter_for_letter_in_ticks_hover_title_and_cell(token):
    fig = cells([[0.5]], [token], [token], texts=[[token]], title=token)
    spec = decoded(fig)
    layout, first = spec["layout"], spec["data"][0]
    assert html.unescape(layout["title"]["text"]) == token
    assert html.unescape(first["text"][0][0]) == token
    assert html.unescape(written(fig)[0, 0][0]) == token
    for axis in ("xaxis", "yaxis"):
        tick, complete = layout[f"{axis}2"]["ticktext"][0], layout[axis]["ticktext"][0]
        assert html.unescape(complete.replace("<br>", "")) == f"{token} (position 0)"
        assert html.unescape(tick)[:9] == token[:9]
        assert not set("<>$") & set(tick)


def test_the_range_of_weights_is_fixed_whatever_the_weights_are():
    for z in (np.full((4, 4), 0.25), np.linspace(0.24, 0.26, 4).reshape(2, 2)):
        first = decoded(cells(z))["data"][0]
        assert (first["zmin"], first["zmax"]) == (0, 1)
        assert [tuple(stop) for stop in first["colorscale"]] == list(SEQUENTIAL)
        assert first["colorbar"]["title"]["text"] == "weight"
        assert first["colorbar"]["tickvals"] == [0, 0.25, 0.5, 0.75, 1]


@pytest.mark.parametrize(("kind", "word"), [("scores", "score"), ("values", "value")])
def test_scores_and_values_are_centred_on_zero_and_only_finite_seen_cells_set_the_range(kind, word):
    masked = [[False, True], [True, False]]
    for z in ([[0, -INF], [1e9, -2]], np.array([[0, NAN], [INF, -2]])):
        first = decoded(cells(z, kind=kind, masked=masked))["data"][0]
        assert (first["zmin"], first["zmax"]) == (-2, 2)
        assert [tuple(stop) for stop in first["colorscale"]] == list(DIVERGING)
        assert first["colorbar"]["title"]["text"] == word
    first = decoded(cells([[0.0, 0.0]], kind=kind))["data"][0]
    assert (first["zmin"], first["zmax"]) == (-1, 1)


def test_a_masked_score_has_a_named_look_and_its_own_words_in_the_hover():
    z, texts = [[0, -INF], [1, 2]], [["0", "masked (−∞)"], ["1", "2"]]
    fig = cells(z, texts=texts, kind="scores", masked=np.isneginf(z))
    first = decoded(fig)["data"][0]
    assert first["z"][0].tolist() == pytest.approx([0, NAN], nan_ok=True)
    assert (first["zmin"], first["zmax"]) == (-2, 2)
    assert covered(fig, "masked").tolist() == [[False, True], [False, False]]
    assert written(fig)[0, 1] == ("masked", None)
    assert first["text"][0][1] == "masked (−∞)"
    assert first["hovertemplate"] == (
        "query (asks): %{y}<br>key (answers): %{x}<br><b>%{text}</b><extra></extra>"
    )


def test_the_hatching_covers_the_masked_cells_and_no_others():
    mask = np.random.default_rng(3).random((7, 9)) < 0.5
    assert (covered(cells(np.full((7, 9), 0.1), masked=mask), "masked") == mask).all()
    assert covered(cells(CAUSAL), "masked") is None
    everything = cells(CAUSAL, masked=np.ones((3, 3), bool))
    assert covered(everything, "masked").all()
    assert len(decoded(everything)["data"][1]["x"]) == 3  # one bar for a whole row


def test_beyond_four_columns_a_cross_that_the_legend_explains_stands_for_masked():
    few, many = causal(4), causal(5)
    assert {text for text, colour in written(few).values() if colour is None} == {"masked"}
    assert {text for text, colour in written(many).values() if colour is None} == {"✕"}
    for fig, legend in ((few, False), (many, True), (causal(20), True), (cells(CAUSAL), False)):
        spec = decoded(fig)
        assert spec["layout"]["showlegend"] is legend
        named = [trace["name"] for trace in spec["data"][1:] if trace.get("showlegend", True)]
        assert named == ["masked"] * legend


def test_masked_nan_zero_and_underflow_look_different():
    texts = [["masked", "nan", "0", "0 (underflow)"]]
    mask = [[True, False, False, False]]
    fig = cells([[0, NAN, 0, 0]], texts=texts, masked=mask)
    assert covered(fig, "masked").tolist() == mask
    assert covered(fig, "no number").tolist() == [[False, True, False, False]]
    looks = {trace["name"]: trace["marker"] for trace in decoded(fig)["data"] if "name" in trace}
    assert looks["masked"]["pattern"]["shape"] == "/"
    assert looks["no number"]["pattern"]["shape"] == "x"
    assert looks["masked"]["color"] != looks["no number"]["color"]
    assert written(fig) == {
        (0, 0): ("masked", None),
        (0, 1): ("nan", None),
        (0, 2): ("0", "#ffffff"),
        (0, 3): (
            '0<br><span style="font-size:70%">(underflow)</span>',
            "#ffffff",
        ),
    }
    large = cells(np.full((1, 20), NAN))
    assert decoded(large)["layout"]["showlegend"] is True


def test_what_a_masked_cell_holds_changes_nothing():
    def figure(hidden):
        z = [[1.0, hidden], [0.5, 0.5]]
        masked = [[False, True], [False, False]]
        return cells(z, texts=[["1", "masked"], ["½", "½"]], masked=masked, kind="scores")

    assert figure(0).to_json() == figure(NAN).to_json() == figure(1e300).to_json()


@pytest.mark.parametrize(("kind", "scale"), [("weights", SEQUENTIAL), ("values", DIVERGING)])
def test_the_text_in_a_cell_can_be_read_on_every_colour(kind, scale):
    low, high = (0, 1) if kind == "weights" else (-3, 3)
    z = np.linspace(low, high, 256).reshape(16, 16)
    colours = written(cells(z, kind=kind))
    assert len(colours) == 256
    stops = [stop for stop, _ in scale]
    for (i, j), (_, colour) in colours.items():
        at = (z[i, j] - low) / (high - low)
        mixed = [
            round(np.interp(at, stops, [int(text[k : k + 2], 16) for _, text in scale]))
            for k in (1, 3, 5)
        ]
        ground = "#{:02x}{:02x}{:02x}".format(*mixed)
        other = {"#ffffff": "#000000", "#000000": "#ffffff"}[colour]
        assert contrast(colour, ground) >= 4.5
        assert contrast(colour, ground) > contrast(other, ground) - 0.1


def test_the_texts_of_the_page_are_kept_and_no_number_gets_a_si_prefix():
    texts = [["9.997e−1", "2.999e−4", "9.997e−9"]]
    fig = cells([[0.9997000799790055, 0.00029991002399370174, 9.997000799790037e-09]], texts=texts)
    first = decoded(fig)["data"][0]
    assert first["text"] == texts
    assert [written(fig)[0, j][0] for j in range(3)] == texts[0]
    assert "%{z" not in first["hovertemplate"]
    assert first["colorbar"]["exponentformat"] == "power"


def test_short_texts_count_as_wide_so_that_one_size_fits_them_all():
    traces = decoded(cells([[1, 0.5]], texts=[["1", "0.5000"]]))["data"]
    texts = {text for trace in traces[1:] for text in trace.get("text", [])}
    assert texts == {"\u2007\u2007\u20071\u2007\u2007\u2007", "0.5000"}
    assert decoded(cells([[1]]))["layout"]["uniformtext"] == {"mode": "hide", "minsize": 7}


def test_up_to_sixteen_rows_and_columns_have_texts_and_more_travel_as_float32():
    sixteen, seventeen = cells(np.full((16, 16), 0.5)), cells(np.full((2, 17), 0.5))
    assert len(written(sixteen)) == 256
    assert decoded(sixteen)["data"][0]["z"].dtype == np.float64
    assert written(seventeen) == {}
    assert decoded(seventeen)["data"][0]["z"].dtype == np.float32
    assert decoded(seventeen)["data"][0]["text"][1][16] == "0.5000"


def test_numbers_at_the_end_of_float64_have_colours_too():
    z = np.full((1, 17), 1e308)
    z[0, 0] = -1e308
    for matrix in (z, z[:, :2]):
        first = decoded(cells(matrix, kind="scores"))["data"][0]
        assert first["z"].dtype == np.float64
        assert np.isfinite(first["zmax"] - first["zmin"])
    tiny = decoded(cells([[5e-324, 0]], kind="scores"))["data"][0]
    assert tiny["zmax"] == 5e-324


def test_every_label_of_many_can_be_found_and_a_long_one_is_complete_in_the_hover():
    labels = ["x" * 60, "注" * 20, *(f"token{i}" for i in range(38))]
    layout = decoded(cells(np.full((40, 40), 1 / 40), labels, labels))["layout"]
    for axis in ("xaxis", "yaxis"):
        complete, seen = layout[axis], layout[f"{axis}2"]
        found = [text.replace("<br>", "") for text in complete["ticktext"]]
        assert found == [f"{label} (position {i})" for i, label in enumerate(labels)]
        assert len(seen["ticktext"]) == len(seen["tickvals"]) <= 22
        assert seen["ticktext"][0] == "xxxxxxxxx…"
        assert seen["automargin"] is True
    few = decoded(cells([[0.5, 0.5]], ["q"], labels[:2]))["layout"]["xaxis2"]["ticktext"]
    assert few == ["xxxxxxxxxxxxx…", "注注注注注注…"]


def test_the_chosen_row_is_outlined_dark_on_light_and_its_label_is_bold():
    layout = decoded(cells(CAUSAL, chosen_row=1))["layout"]
    assert layout["yaxis2"]["ticktext"] == ["q0", "<b>q1</b>", "q2"]
    assert [shape["line"]["color"] for shape in layout["shapes"]] == ["#ffffff", "#000000"]
    for shape in layout["shapes"]:
        assert [shape[end] for end in ("x0", "x1", "y0", "y1")] == [-0.5, 2.5, 0.5, 1.5]
    layout = decoded(cells(CAUSAL, chosen_column=2))["layout"]
    assert layout["xaxis2"]["ticktext"] == ["k0", "k1", "<b>k2</b>"]
    ends = [layout["shapes"][0][end] for end in ("x0", "x1", "y0", "y1")]
    assert ends == [1.5, 2.5, -0.5, 2.5]
    assert decoded(cells(CAUSAL))["layout"]["shapes"] == []


def test_a_ribbon_shows_the_colours_of_the_keys_where_the_keys_are():
    z = np.full((2, 12), 0.5)
    columns, rows, none = (
        decoded(cells(z, keys=keys))["data"][-1] for keys in ("columns", "rows", "none")
    )
    assert columns["marker"]["color"] == [colour_of(i) for i in range(12)]
    assert columns["x"].tolist() == list(range(12))
    assert columns["base"] > 1.5
    assert rows["marker"]["color"] == [colour_of(0), colour_of(1)]
    assert rows["y"].tolist() == [0, 1]
    assert rows["base"] < -0.5
    assert max(rows["x"]) < 0
    assert none["x"] == []
    assert none["xaxis"] == "x2"  # the axis of the labels is drawn only when a trace is on it


def test_cells_are_about_square_and_no_matrix_is_taller_than_a_screen():
    def cell_height(n_rows, n_columns):
        layout = decoded(cells(np.zeros((n_rows, n_columns))))["layout"]
        return (layout["height"] - 132) / n_rows

    assert cell_height(4, 4) == 56
    assert cell_height(16, 16) == 30
    assert cell_height(64, 64) * 64 == 500
    assert cell_height(1, 64) == 48
    assert cell_height(64, 2) * 64 == 500


def test_counts_that_do_not_fit_are_an_error_and_not_a_picture():
    z = np.zeros((2, 3))
    with pytest.raises(ValueError, match=r"labels are for \(3, 3\); z is \(2, 3\)"):
        cells(z, rows=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"texts must be \(2, 3\); got 2 rows of \[2\]"):
        cells(z, texts=[["a", "b"]] * 2)


# entropy_per_query


def test_each_query_has_a_bar_of_its_entropy_and_a_track_to_its_own_ceiling():
    bars, track, strokes = decoded(spread())["data"]
    assert bars["orientation"] == track["orientation"] == "h"
    assert bars["x"].tolist() == [0, 0.5, 1, 1.3]
    assert track["x"].tolist() == strokes["x"].tolist() == np.log([1, 2, 3, 4]).tolist()
    assert strokes["name"] == "at most ln(allowed keys)"
    assert strokes["text"] == [" 0.0000", " 0.5000", " 1.0000", " 1.3000"]
    assert bars["hovertext"][1] == (
        "cat<br>position 1<br>entropy 0.5000 nats<br>at most 0.6931 nats"
    )


def test_a_query_without_allowed_keys_says_no_keys_and_not_zero():
    fig = spread(entropies=(0, 0.5, 0, 1.3), empty=(0, 0, 1, 0))
    bars, track, strokes = decoded(fig)["data"]
    assert np.isnan(bars["x"][2])
    assert np.isnan(track["x"][2])
    assert strokes["marker"]["opacity"].tolist() == [1, 1, 0, 1]
    assert strokes["text"][2] == " no keys"
    assert strokes["x"][2] == 0
    assert bars["hovertext"][2] == "saw<br>position 2<br>no keys"
    assert strokes["text"][0] == " 0.0000"


def test_a_number_of_a_query_without_allowed_keys_has_no_influence():
    one, other = (spread(entropies=(0, 0.5, x, 1.3), empty=(0, 0, 1, 0)) for x in (NAN, 1e9))
    assert one.to_json() == other.to_json()


def test_the_entropy_axis_starts_at_zero_has_room_for_texts_and_names_its_unit():
    layout = decoded(spread())["layout"]
    assert layout["xaxis"]["range"] == pytest.approx([0, 1.3 * np.log(4)])
    assert layout["xaxis"]["title"]["text"] == "entropy (nats)"
    assert layout["yaxis"]["title"]["text"] == "query (asks)"
    assert layout["yaxis"]["range"] == [3.5, -0.5]
    nothing = decoded(spread(empty=(1, 1, 1, 1)))["layout"]
    assert nothing["xaxis"]["range"] == [0, 1.3]


def test_an_entropy_that_does_not_exist_has_a_track_but_no_bar():
    bars, track, strokes = decoded(spread(entropies=(0, NAN, 1, 1.3)))["data"]
    assert np.isnan(bars["x"][1])
    assert track["x"][1] == np.log(2)
    assert strokes["text"][1] == " nan"


def test_many_queries_keep_their_texts_for_the_hover():
    labels = [f"t{i}" for i in range(64)]
    spec = decoded(spread(labels, np.zeros(64), np.zeros(64)))
    assert spec["data"][2]["mode"] == "markers"
    assert len(spec["layout"]["yaxis"]["ticktext"]) <= 22
    assert spec["layout"]["height"] < 620
    assert decoded(spread())["data"][2]["mode"] == "markers+text"


@pytest.mark.parametrize("token", ["<s>", "$x$", "&amp;", "x<br>y"])
def test_a_token_is_escaped_in_the_bar_figures_too(token):
    for fig, axis in (
        (spread([token, "b"], (0, 0.5), (0, 0)), "yaxis"),
        (gained([token, "b"], (1, 0.5)), "xaxis"),
    ):
        spec = decoded(fig)
        assert html.unescape(spec["layout"][axis]["ticktext"][0]) == token
        hover = spec["data"][0]["hovertext"][0].split("<br>")
        assert html.unescape(hover[0]) == token
        assert hover[1] == "position 0"


# received


def test_each_key_has_a_bar_of_its_own_colour_with_its_text_above():
    spec = decoded(gained())
    bars, above = spec["data"]
    assert bars["y"].dtype == np.float64
    assert bars["y"].tolist() == above["y"].tolist() == [2.25, 0.75, 0.5, 0.5]
    assert bars["x"].tolist() == [0, 1, 2, 3]
    assert bars["marker"]["color"] == [colour_of(i) for i in range(4)]
    assert above["text"] == ["2.2500", "0.7500", "0.5000", "0.5000"]
    assert bars["hovertext"][3] == "the<br>position 3<br>receives 0.5000"
    assert spec["layout"]["xaxis"]["title"]["text"] == "key (answers)"
    assert spec["layout"]["xaxis"]["ticktext"] == LABELS


def test_the_axis_of_totals_starts_at_zero_and_reaches_one_at_least():
    for totals, top in (((2.25, 0.5), 2.25), ((0.25, 0.5), 1), ((NAN, 3), 3)):
        axis = decoded(gained(["a", "b"], totals))["layout"]["yaxis"]
        assert axis["range"] == pytest.approx([0, 1.12 * top])
        assert axis["title"]["text"] == "weight received"


def test_a_key_that_receives_nothing_has_no_bar_and_says_why():
    texts = ["3", "masked", "0 (underflow)", "nan"]
    bars, above = decoded(gained(totals=(3, 0, 0, NAN), texts=texts))["data"]
    assert bars["y"].tolist() == pytest.approx([3, 0, 0, NAN], nan_ok=True)
    assert above["text"] == texts
    assert above["y"].tolist() == [3, 0, 0, 0]
    assert bars["hovertext"][1] == "cat<br>position 1<br>receives masked"


def test_texts_that_would_touch_are_turned_and_beyond_sixteen_left_to_the_hover():
    for n, angle in ((8, 0), (9, -90), (16, -90)):
        assert decoded(gained(["a"] * n, np.ones(n)))["data"][1]["textangle"] == angle
    assert decoded(gained(texts=["0 (underflow)"] * 4))["data"][1]["textangle"] == -90
    spec = decoded(gained(["a"] * 17, np.ones(17)))
    assert len(spec["data"]) == 1
    assert len(spec["layout"]["xaxis"]["ticktext"]) == 17


# all of them

FIGURES = [cells, spread, gained]
MANY = [
    *(lambda keys=keys: causal(6, keys=keys, chosen_row=1, chosen_column=2) for keys in (
        "columns", "rows", "none")),
    lambda: cells([[NAN, 0.5]], kind="scores"),
    lambda: cells(np.full((20, 20), NAN), masked=np.eye(20)),
    lambda: spread(empty=(1, 0, 0, 0)),
    spread,
    gained,
    lambda: gained(["a"] * 30, np.ones(30)),
]  # fmt: skip


@pytest.mark.parametrize("figure", MANY)
def test_plotly_itself_accepts_every_attribute(figure):
    made = figure()
    assert len(go.Figure(made.to_dict()).data) == len(made.data)


def default(figure):
    return figure(CAUSAL) if figure is cells else figure()


@pytest.mark.parametrize("figure", FIGURES)
def test_nothing_of_plotlys_default_template_gets_in(figure, monkeypatch):
    usual = default(figure).to_json()
    monkeypatch.setattr(pio.templates, "default", "ggplot2")
    assert default(figure).to_json() == usual
    assert decoded(usual)["layout"]["template"] == {}


@pytest.mark.parametrize("figure", FIGURES)
def test_text_and_paper_take_the_colours_of_the_page(figure):
    layout = decoded(default(figure))["layout"]
    assert "color" not in layout["font"]
    assert not {"paper_bgcolor", "plot_bgcolor"} & set(layout)


def test_sizes_fit_the_budget_of_a_rerun():
    labels = [f"token{i}" for i in range(64)]
    large = causal(64, rows=labels, columns=labels)
    assert size(causal(4)) < 5300
    assert size(causal(8)) < 7500
    assert size(causal(16)) < 15500
    assert size(large) < 82000
    assert size(spread()) < 2300
    assert size(gained()) < 1600
