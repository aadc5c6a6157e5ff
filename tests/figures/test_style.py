import html
import itertools
import json

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures import style
from attnviz.figures.softmax import entropy_against_beta, weight_bars, weights_against_beta
from attnviz.figures.style import base_layout, colour_of, complete, plain, short
from tests.figures.decode import decoded

NASTY = [
    "$x$",
    "$a$ and $b$",
    "<s>",
    "</s>",
    "<b>x</b>",
    "<sub>",
    "<br>",
    "x<br>y",
    "&amp;",
    "&lt;s&gt;",
    "<pad>",
    "<|endoftext|>",
    "<img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)">k</a>',
    "%{y}",
    ":red[hi]",
    "_a_ *b* `c`",
    "2020-01-01",
    "Ġthe",
    "▁the",
    "注意",
]


def linear(colour):
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


# Machado, Oliveira and Fernandes 2009, severity 1.0; they act on linear RGB
VISIONS = {
    "normal": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# Ottosson 2020, linear sRGB to OKLab
TO_LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def oklab(colour, vision="normal"):
    seen = np.clip(np.array(VISIONS[vision]) @ linear(colour), 0, 1)
    return np.array(TO_LAB) @ np.cbrt(np.array(TO_LMS) @ seen)


def smallest_distance(colours, vision):
    return min(
        np.linalg.norm(oklab(one, vision) - oklab(other, vision))
        for one, other in itertools.combinations(colours, 2)
    )


def test_the_contrast_used_here_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # WebAIM's checker


def test_there_are_exactly_ten_categorical_colours_and_all_differ():
    assert len(style.CATEGORICAL) == len(set(style.CATEGORICAL)) == 10


@pytest.mark.parametrize("background", ["#ffffff", "#0e1117"])
@pytest.mark.parametrize("colour", [*style.CATEGORICAL, style.GUIDE])
def test_colours_that_mean_something_stand_out_from_both_backgrounds(colour, background):
    assert contrast(colour, background) >= 3


@pytest.mark.parametrize("vision", VISIONS)
def test_categorical_colours_stay_apart_for_colour_blind_viewers(vision):
    # 0.02 in OKLab is about a just noticeable difference
    assert smallest_distance(style.CATEGORICAL, vision) > 0.06
    assert smallest_distance(style.CATEGORICAL[:6], vision) > 0.11


def test_the_sequential_scale_only_gets_lighter():
    stops, colours = zip(*style.SEQUENTIAL, strict=True)
    assert stops[0] == 0
    assert stops[-1] == 1
    lightness = [oklab(colour)[0] for colour in colours]
    assert np.all(np.diff(lightness) > 0.05)


@pytest.mark.parametrize("vision", VISIONS)
def test_the_diverging_scale_is_lightest_at_its_centre_and_its_ends_differ_for_all(vision):
    stops, colours = zip(*style.DIVERGING, strict=True)
    assert stops == (0, 0.25, 0.5, 0.75, 1)
    lightness = [oklab(colour)[0] for colour in colours]
    assert lightness[0] < lightness[1] < lightness[2] > lightness[3] > lightness[4]
    assert lightness[:2] == pytest.approx(lightness[:2:-1], abs=0.02)
    assert smallest_distance([colours[0], colours[4]], vision) > 0.15


def test_a_key_keeps_its_colour_and_the_eleventh_begins_anew():
    assert [colour_of(i) for i in range(10)] == list(style.CATEGORICAL)
    assert colour_of(13) == colour_of(3)


@pytest.mark.parametrize("token", NASTY)
def test_a_token_is_escaped_and_comes_back_letter_for_letter(token):
    escaped = plain(token)
    assert not set("<>$") & set(escaped)
    assert "%{" not in escaped
    assert html.unescape(escaped) == token


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("", "∅"),
        (" ", "␠"),
        ("  ", "␠␠"),
        (" a", "␣a"),
        ("a b ", "a b␣"),
        ("\n", "⏎"),
        ("\t", "⇥"),
        ("a\x00b", "a␀b"),
        ("\x1b", "␛"),
        ("\ud83d", "�"),
        ("a\u202eb", "a�b"),
    ],
)
def test_a_token_without_a_shape_gets_one(token, shown):
    assert plain(token) == shown
    shown.encode("utf-8")


def test_a_short_label_is_left_alone_and_a_long_one_ends_with_an_ellipsis():
    assert short("x" * 14) == "x" * 14
    assert short("x" * 15) == "x" * 13 + "…"
    assert short("abcdef", 4) == "abc…"


def test_wide_letters_count_two_and_combining_marks_none():
    assert short("注" * 7) == "注" * 7
    assert short("注" * 8) == "注" * 6 + "…"
    assert short("Ａ" * 8) == "Ａ" * 6 + "…"
    assert short("e\u0301" * 14) == "e\u0301" * 14


@pytest.mark.parametrize("label", ["x" * 60, "注" * 61, "<s>" * 40, "a", ""])
def test_the_complete_label_loses_nothing_and_no_line_is_longer_than_a_phone(label):
    lines = complete(label).split("<br>")
    assert "".join(html.unescape(line) for line in lines) == (label or "∅")
    assert all(len(html.unescape(line)) <= 40 for line in lines)


def test_the_base_layout_leaves_text_and_paper_to_the_page_and_hides_nothing_under_a_margin():
    layout = base_layout()
    assert "color" not in layout["font"]
    assert not {"paper_bgcolor", "plot_bgcolor", "width", "height"} & set(layout)
    assert base_layout(showlegend=True)["showlegend"] is True
    assert len(json.dumps(layout)) < 300


def test_an_assembled_figure_passes_plotlys_own_check():
    labels, weights = ["a", "b"], np.array([0.25, 0.75])
    betas = np.array([0.1, 1.0, 10.0])
    curves = np.array([[0.4, 0.6], [0.3, 0.7], [0.1, 0.9]])
    none = np.zeros(2, dtype=bool)
    figures = [
        weight_bars(labels, weights, ["x", "y"], masked=none, reference=weights),
        weights_against_beta(
            labels,
            betas,
            curves,
            beta=1.0,
            beta_text="β = 1",
            masked=none,
            weights_at_beta=weights,
            weight_texts_at_beta=["x", "y"],
        ),
        entropy_against_beta(
            betas,
            np.array([0.6, 0.5, 0.3]),
            beta=1.0,
            beta_text="β = 1",
            entropy_now=0.5,
            ceiling=0.69,
            ceiling_text="ln 2",
        ),
    ]
    for figure in figures:
        spec = decoded(figure)
        again = go.Figure(figure.to_dict())  # raises when an attribute is unknown or a value wrong
        assert len(again.data) == len(spec["data"])
