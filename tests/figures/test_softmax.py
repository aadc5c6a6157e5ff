import html

import numpy as np
import plotly.io as pio
import pytest

from attnviz.figures.softmax import entropy_against_beta, weight_bars, weights_against_beta
from attnviz.figures.style import colour_of
from tests.figures.decode import decoded

# softmax of 1/√2, 0, −1 and of 2, 1, 0: 40-digit arithmetic
WEIGHTS = np.array([0.5972079836232458, 0.29446455897590357, 0.10832745740085063])
AT_ONE = np.array([0.6652409557748219, 0.24472847105479764, 0.09003057317038046])
LABELS = ["the", "cat", "saw"]
BETAS = np.logspace(-2, 2, 41)
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs"]


def bars(labels=LABELS, weights=WEIGHTS, texts=None, masked=None, **more):
    texts = [f"{weight:.4f}" for weight in weights] if texts is None else texts
    masked = np.zeros(len(labels), dtype=bool) if masked is None else np.array(masked)
    return weight_bars(labels, np.array(weights), texts, masked=masked, **more)


def curves(labels=LABELS, scores=(2, 1, 0), masked=None, beta=1.0, beta_text="β = 1", **more):
    n = len(labels)
    masked = np.zeros(n, dtype=bool) if masked is None else np.array(masked)
    exps = np.exp(np.outer(BETAS, np.array(scores, dtype=float) - np.max(scores))) * ~masked
    weights = exps / exps.sum(axis=1, keepdims=True)
    now = {
        "weights_at_beta": weights[20],
        "weight_texts_at_beta": [f"{weight:.4f}" for weight in weights[20]],
    }
    return weights_against_beta(
        labels, BETAS, weights, beta=beta, beta_text=beta_text, masked=masked, **{**now, **more}
    )


def entropies(beta=1.0, **more):
    falling = np.log(3) / (1 + BETAS)
    now = {"beta_text": "β = 1", "entropy_now": 0.8324, "ceiling": np.log(3)}
    now |= {"ceiling_text": "ln 3 = 1.0986"}
    return entropy_against_beta(BETAS, falling, beta=beta, **{**now, **more})


def size(fig):
    return len(fig.to_json().encode())


def named(fig, name):
    return [trace for trace in decoded(fig)["data"] if trace.get("name") == name]


def texts_on_bars(fig):
    """All texts that stand in the picture, by position, with their angle."""
    written = {}
    for trace in decoded(fig)["data"][1:]:
        if trace["type"] == "bar" and "text" in trace:
            for x, text in zip(trace["x"].tolist(), trace["text"], strict=True):
                written[x] = (text, trace["textangle"])
    return written


def marks(fig):
    """Symbols on the axis, by position."""
    for trace in decoded(fig)["data"][1:]:
        if trace["type"] == "scatter":
            assert trace["y"].tolist() == [0] * len(trace["x"])
            symbols = dict(zip(trace["x"].tolist(), trace["marker"]["symbol"], strict=True))
            return symbols, trace["marker"]["color"]
    return {}, []


# weight_bars


def test_the_first_trace_holds_the_exact_weights_at_positions():
    first = decoded(bars())["data"][0]
    assert first["type"] == "bar"
    assert first["y"].dtype == np.float64
    assert first["y"].tolist() == WEIGHTS.tolist()
    assert first["x"].tolist() == [0, 1, 2]


def test_repeated_tokens_are_separate_bars():
    fig = bars(["the", "cat", "saw", "the"], [0.4, 0.3, 0.2, 0.1])
    first, axis = decoded(fig)["data"][0], decoded(fig)["layout"]["xaxis"]
    assert first["x"].tolist() == [0, 1, 2, 3]
    assert np.array(axis["tickvals"]).tolist() == [0, 1, 2, 3]
    assert axis["ticktext"] == ["the", "cat", "saw", "the"]
    assert "the<br>position 3<br>" in first["hovertext"][3]


@pytest.mark.parametrize(
    "labels", [["in", "2020-01-01"], ["2020-01-01", "2020-01-02"], ["-1", "1e1"], ["10", "2"]]
)
def test_dates_and_numbers_stay_labels_at_positions(labels):
    spec = decoded(bars(labels, [0.5, 0.5]))
    assert spec["layout"]["xaxis"]["type"] == "linear"
    assert spec["layout"]["xaxis"]["ticktext"] == labels
    assert spec["data"][0]["x"].tolist() == [0, 1]


@pytest.mark.parametrize("token", ["<s>", "$x$", "&amp;", "x<br>y", "<img src=x onerror=alert(1)>"])
def test_a_token_is_escaped_in_tick_hover_and_text(token):
    fig = bars([token, "b"], [0.5, 0.5], texts=[token, "0.5"])
    spec = decoded(fig)
    tick = spec["layout"]["xaxis"]["ticktext"][0]
    hover = spec["data"][0]["hovertext"][0].split("<br>")
    assert html.unescape(hover[0]) == token
    assert html.unescape(texts_on_bars(fig)[0][0]) == token
    for text in (tick, hover[0], texts_on_bars(fig)[0][0]):
        assert not set("<>$") & set(text)


def test_a_long_label_is_short_in_the_tick_and_complete_in_the_hover():
    spec = decoded(bars(["x" * 60, "b"], [0.5, 0.5]))
    assert spec["layout"]["xaxis"]["ticktext"][0] == "x" * 13 + "…"
    assert "x" * 60 in spec["data"][0]["hovertext"][0].replace("<br>", "")
    assert spec["layout"]["xaxis"]["automargin"] is True


def test_the_weight_axis_is_fixed_from_zero_to_a_little_over_one():
    for weights in ([0.25] * 4, [1, 0, 0, 0]):
        axis = decoded(bars(["a", "b", "c", "d"], weights))["layout"]["yaxis"]
        assert axis["range"][0] == 0
        assert 1.05 < axis["range"][1] < 1.2
        assert axis["tickvals"] == [0, 0.25, 0.5, 0.75, 1]
        assert axis["fixedrange"] is True


def test_the_given_texts_stand_on_the_bars_and_in_the_hover():
    fig = bars(texts=["0.5972", "0.2945", "0.1083"])
    assert texts_on_bars(fig) == {0: ("0.5972", 0), 1: ("0.2945", 0), 2: ("0.1083", 0)}
    assert decoded(fig)["data"][0]["hovertext"][0] == "the<br>position 0<br>weight 0.5972"


def test_masked_tiny_underflowed_and_nan_look_different():
    fig = bars(
        ["a", "b", "c", "d", "e"],
        [1.0, 1e-17, 0.0, np.nan, 0.3],
        texts=["1.0000", "1e−17", "0 (underflow)", "NaN", "masked"],
        masked=[False, False, False, False, True],
    )
    symbols, colours = marks(fig)
    assert symbols == {1: "line-ew-open", 2: "circle-open", 3: "x-thin-open"}
    assert colours == [colour_of(1), colour_of(2), colour_of(3)]
    (hatched,) = named(fig, "masked")
    assert hatched["x"].tolist() == [4]
    assert 0 < hatched["y"][0] < 0.5  # it must not look like the largest weight
    assert hatched["marker"]["pattern"]["shape"] == "/"
    assert decoded(fig)["data"][0]["y"][4] == 0.0
    assert {i: text for i, (text, _) in texts_on_bars(fig).items()} == {
        0: "1.0000",
        1: "1e−17",
        2: "0 (underflow)",
        3: "NaN",
        4: "masked",
    }


def test_what_a_masked_key_holds_is_never_drawn():
    fig = bars(weights=[0.5, np.nan, 0.5], texts=["0.5", "masked", "0.5"], masked=[0, 1, 0])
    first = decoded(fig)["data"][0]
    assert first["y"].tolist() == [0.5, 0.0, 0.5]
    assert first["hovertext"][1] == "cat<br>position 1<br>masked"
    assert marks(fig) == ({}, [])


def test_a_weight_that_can_be_seen_has_no_mark_and_no_mask():
    fig = bars()
    assert marks(fig) == ({}, [])
    assert named(fig, "masked") == []


def test_each_key_has_its_colour_and_a_masked_one_none():
    colours = decoded(bars(masked=[False, True, False]))["data"][0]["marker"]["color"]
    assert colours[0] == colour_of(0)
    assert colours[2] == colour_of(2)
    assert colours[1] not in {colour_of(i) for i in range(10)}


def test_the_reference_is_named_exact_and_behind_the_bars():
    fig = bars(
        masked=[False, False, True],
        texts=["0.5972", "0.2945", "masked"],
        reference=AT_ONE,
        reference_texts=["0.6652", "0.2447", "masked"],
        reference_name="T = 1",
    )
    (pale,) = named(fig, "T = 1")
    first = decoded(fig)["data"][0]
    assert pale["x"].tolist() == [0, 1]
    assert pale["y"].tolist() == AT_ONE[:2].tolist()
    assert pale["width"] > first["width"]
    assert first["zorder"] > pale.get("zorder", 0)
    assert pale["marker"]["color"].startswith("rgba(128,128,128,")
    assert decoded(fig)["layout"]["showlegend"] is True
    assert first["hovertext"][0].endswith("weight 0.5972 (T = 1: 0.6652)")
    assert first["hovertext"][2].endswith("<br>masked")


def test_without_a_reference_there_is_no_legend():
    assert decoded(bars())["layout"]["showlegend"] is False


def test_texts_are_turned_for_many_keys_and_left_to_the_hover_for_more():
    angles = {}
    for n in (8, 9, 16, 17):
        labels = [f"w{i}" for i in range(n)]
        fig = bars(labels, np.full(n, 1 / n))
        angles[n] = {angle for _, angle in texts_on_bars(fig).values()}
        assert all("weight 0." in hover for hover in decoded(fig)["data"][0]["hovertext"])
    assert angles == {8: {0}, 9: {-90}, 16: {-90}, 17: set()}


def test_sixty_four_keys_keep_all_bars_and_hovers_and_thin_out_their_ticks():
    labels = [f"word{i}" for i in range(64)]
    masked = np.arange(64) == 5
    fig = bars(labels, np.full(64, 1 / 63), masked=masked)
    spec = decoded(fig)
    axis = spec["layout"]["xaxis"]
    assert len(spec["data"][0]["y"]) == 64
    assert [hover.split("<br>")[0] for hover in spec["data"][0]["hovertext"]] == labels
    assert len(axis["tickvals"]) == len(axis["ticktext"]) <= 18
    assert axis["ticktext"][1] == f"word{axis['tickvals'][1]}"
    assert spec["layout"]["showlegend"] is True  # nothing else names the hatching here
    assert named(fig, "masked")[0]["showlegend"] is True


def test_one_key_is_a_bar_as_wide_as_one_of_three():
    low, high = decoded(bars(["only"], [1.0]))["layout"]["xaxis"]["range"]
    assert high - low == 2
    low, high = decoded(bars())["layout"]["xaxis"]["range"]
    assert high - low == pytest.approx(3.2)


def test_wrong_lengths_are_an_error_and_not_a_picture():
    with pytest.raises(ValueError, match="shorter"):
        bars(texts=["0.5", "0.5"])


# weights_against_beta


def test_each_allowed_key_has_a_line_in_its_colour_and_a_masked_one_has_none():
    spec = decoded(curves(masked=[False, True, False]))
    lines = spec["data"][:-2]
    assert [line["name"] for line in lines] == ["the", "saw"]
    assert [line["line"]["color"] for line in lines] == [colour_of(0), colour_of(2)]
    dots = spec["data"][-1]
    assert dots["hovertext"] == ["the", "saw"]
    assert len(dots["y"]) == 2


def test_curves_travel_as_float32_and_dots_as_float64():
    spec = decoded(curves(weights_at_beta=AT_ONE))
    first, dots = spec["data"][0], spec["data"][-1]
    assert first["x"].dtype == first["y"].dtype == np.float32
    assert first["y"][20] == np.float32(AT_ONE[0])
    assert dots["y"].dtype == np.float64
    assert dots["y"].tolist() == AT_ONE.tolist()
    assert dots["text"] == ["0.6652", "0.2447", "0.0900"]


def test_the_beta_axis_is_logarithmic_with_plain_tick_labels():
    for fig in (curves(), entropies()):
        axis = decoded(fig)["layout"]["xaxis"]
        assert axis["type"] == "log"
        assert axis["range"] == pytest.approx([-2, 2])
        assert axis["ticktext"] == ["0.01", "0.1", "1", "10", "100"]
        assert axis["title"]["text"] == "β = 1/T (log scale)"


def test_the_weight_axis_of_the_curves_is_fixed_and_titled():
    axis = decoded(curves())["layout"]["yaxis"]
    assert axis["range"] == [0, 1.05]
    assert axis["title"]["text"] == "weight"


@pytest.mark.parametrize("figure", [curves, entropies])
@pytest.mark.parametrize(
    ("beta", "text", "place", "shown", "side"),
    [
        (1.0, "β = 1", 1, "β = 1", "top center"),
        (0.02, "β = 0.02", 0.02, "β = 0.02", "top right"),
        (60.0, "β = 60", 60, "β = 60", "top left"),
        (0.0, "β = 0 (T → ∞)", 0.01, "← β = 0 (T → ∞)", "top right"),
        (np.inf, "T = 0", 100, "T = 0 →", "top left"),
        (1000.0, "β = 1000", 100, "β = 1000 →", "top left"),
        (0.01, "β = 0.01", 0.01, "β = 0.01", "top right"),
    ],
)
def test_the_current_beta_is_a_line_and_beyond_the_axis_an_arrow(
    figure, beta, text, place, shown, side
):
    data = decoded(figure(beta=beta, beta_text=text))["data"]
    line, dots = data[-2], data[-1]
    assert np.array(line["x"]).tolist() == pytest.approx([place, place])
    assert line["text"] == ["", shown]
    assert line["textposition"] == side
    assert np.array(dots["x"]).tolist() == pytest.approx([place] * len(dots["x"]))


def test_up_to_eight_keys_are_named_at_the_ends_without_overlap_in_the_order_of_their_weights():
    labels = ["cat", "the", "cat", "<s>", *"abcd"]
    layout = decoded(curves(labels, [0, 9, 1, 2, 3, 4, 5, 6]))["layout"]
    axis = layout["yaxis2"]
    assert axis["side"] == "right"
    assert axis["range"] == layout["yaxis"]["range"]
    assert [text.rsplit(" ", 1)[1] for text in axis["ticktext"]] == [
        "cat",
        "cat",
        "&lt;s&gt;",
        *"abcd",
        "the",
    ]
    assert colour_of(1) in axis["ticktext"][-1]
    assert np.diff(axis["tickvals"]).min() > 0.09
    assert axis["tickvals"][-1] == pytest.approx(1)
    assert layout["showlegend"] is False


def test_names_of_tied_keys_stay_inside_the_axis():
    places = decoded(curves(list("abcdefgh"), [1] * 8))["layout"]["yaxis2"]["tickvals"]
    assert min(places) >= 0
    assert max(places) <= 1
    assert np.diff(places).min() > 0.09


def test_more_keys_have_a_legend_with_short_names():
    labels = ["internationalisation", *"abcdefgh"]
    spec = decoded(curves(labels, range(9)))
    assert spec["layout"]["showlegend"] is True
    assert "yaxis2" not in spec["layout"]
    assert [trace["name"] for trace in spec["data"][:2]] == ["internati…", "a"]
    assert spec["data"][-1]["hovertext"][0] == "internationalisation"
    assert [trace.get("showlegend") for trace in spec["data"][-3:]] == [None, False, False]


def test_curves_that_coincide_leave_a_stripe_and_a_ring_to_each_other():
    spec = decoded(curves(list("abcd"), [3, 1, 1, 1]))
    dashes = [trace["line"].get("dash") for trace in spec["data"][:4]]
    assert dashes == [None, None, "16px,8px", "8px,16px"]
    sizes = np.array(spec["data"][-1]["marker"]["size"])
    assert sizes[0] == sizes[3] < sizes[2] < sizes[1]
    assert all(trace["line"].get("dash") is None for trace in decoded(curves())["data"][:3])


def test_curves_are_drawn_for_one_key_and_for_none():
    assert len(curves(["only"], [3]).data) == 3
    nothing = weights_against_beta(
        ["a", "b"],
        BETAS,
        np.full((41, 2), np.nan),
        beta=1.0,
        beta_text="β = 1",
        masked=np.array([True, True]),
        weights_at_beta=np.array([np.nan, np.nan]),
        weight_texts_at_beta=["masked", "masked"],
    )
    line, dots = decoded(nothing)["data"]
    assert line["text"] == ["", "β = 1"]
    assert len(dots["y"]) == 0


# entropy_against_beta


def test_the_entropy_curve_its_ceiling_and_its_dot_are_the_given_numbers():
    curve, ceiling, _, dot = decoded(entropies())["data"]
    assert curve["y"].tolist() == (np.log(3) / (1 + BETAS)).tolist()
    assert ceiling["y"] == [np.log(3), np.log(3)]
    assert ceiling["x"] == pytest.approx([0.01, 100])
    assert ceiling["line"]["dash"] == "dash"
    assert ceiling["text"] == ["", "ln 3 = 1.0986"]
    assert dot["y"] == [0.8324]


def test_the_entropy_axis_begins_at_zero_has_room_for_the_ceiling_and_names_its_unit():
    axis = decoded(entropies())["layout"]["yaxis"]
    assert axis["range"] == pytest.approx([0, 1.2 * np.log(3)])
    assert axis["title"]["text"] == "entropy (nats)"
    assert "nats" in decoded(entropies())["data"][0]["hovertemplate"]


def test_the_text_of_the_ceiling_keeps_clear_of_a_line_at_the_right():
    ceiling = decoded(entropies(beta=60.0))["data"][1]
    assert ceiling["text"] == ["ln 3 = 1.0986", ""]
    assert ceiling["textposition"] == "top right"


def test_the_ceiling_of_one_key_is_zero_and_the_axis_still_has_a_height():
    assert decoded(entropies(ceiling=0.0))["layout"]["yaxis"]["range"] == [0, 1]


def test_an_entropy_that_does_not_exist_is_a_gap_and_no_dot():
    fig = entropy_against_beta(
        BETAS,
        np.full(41, np.nan),
        beta=1.0,
        beta_text="β = 1",
        entropy_now=np.nan,
        ceiling=0.0,
        ceiling_text="no keys allowed",
    )
    spec = decoded(fig)
    assert np.isnan(spec["data"][0]["y"]).all()
    assert spec["data"][3]["y"] == [None]


# all of them


@pytest.mark.parametrize("figure", [bars, curves, entropies])
def test_nothing_of_plotlys_default_template_gets_in(figure, monkeypatch):
    usual = figure().to_json()
    for name in ("plotly_dark", "ggplot2"):
        monkeypatch.setattr(pio.templates, "default", name)
        assert figure().to_json() == usual
    template = decoded(usual)["layout"]["template"]
    assert len(str(template)) < 200
    assert "layout" not in template


@pytest.mark.parametrize("figure", [bars, curves, entropies])
def test_text_and_paper_take_the_colours_of_the_page_and_the_grid_fits_both(figure):
    layout = decoded(figure())["layout"]
    assert "color" not in layout["font"]
    assert "paper_bgcolor" not in layout
    assert "plot_bgcolor" not in layout
    assert layout["yaxis"]["gridcolor"] == "rgba(128,128,128,0.25)"


def test_sizes_fit_the_budget_of_a_rerun():
    with_reference = {"reference_texts": ["0.1250"] * 8, "reference_name": "T = 1"}
    eight = bars(WORDS, np.full(8, 0.125), reference=np.full(8, 0.125), **with_reference)
    assert size(bars()) < 1600
    assert size(eight) < 2600
    assert size(entropies()) < 2700
    assert size(curves()) < 4100
    assert size(curves(WORDS, range(8))) < 8100


def test_what_is_cut_has_no_bar_and_no_mark_but_its_reference():
    figure = weight_bars(
        ["a", "b"], np.array([1.0, 0.0]), ["1", "cut"], masked=np.array([False, False]),
        cut=np.array([False, True]), reference=np.array([0.7, 0.3]), title="probability",
    )  # fmt: skip
    names = [trace.name for trace in figure.data]
    behind = figure.data[names.index("")] if "" in names else figure.data[1]
    assert list(behind.y) == [0.7, 0.3]
    assert not [trace for trace in figure.data if trace.type == "scatter"]
    assert figure.layout.yaxis.title.text == "probability"
