"""Figures of the scaling page: what is drawn is what was given, and Plotly takes it."""

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.scaling import against_width, score_spread


def checked(figure):
    """Let Plotly check every attribute; return the figure with its arrays."""
    go.Figure(figure.to_plotly_json())
    return figure


def test_a_histogram_stands_under_its_normal_curve():
    x = np.array([-1.0, 0, 1])
    figure = checked(
        score_spread(x, np.array([0.1, 0.8, 0.1]), 1.0, x, np.array([0.2, 0.4, 0.2]),
                     title="score", curve_name="normal, variance <4>")
    )  # fmt: skip
    bars, curve = figure.data
    assert bars.x.tolist() == x.tolist()
    assert np.allclose(bars.y, [0.1, 0.8, 0.1])
    assert np.allclose(curve.y, [0.2, 0.4, 0.2])
    assert curve.name == "normal, variance &lt;4&gt;"
    assert figure.layout.xaxis.title.text == "score"


def test_each_line_has_a_band_of_one_deviation_that_stays_on_the_axis():
    mean, spread = np.array([0.1, 0.5]), np.array([0.3, 0.2])
    figure = checked(
        against_width([1, 4], [("a", mean, spread)], title="w", top=0.6, ceiling=0.55,
                      ceiling_text="ln 2")
    )  # fmt: skip
    band, line, level = figure.data
    assert line.y.tolist() == mean.tolist()
    assert np.allclose(band.y, [0.4, 0.6, 0.3, 0.0])
    assert list(level.y) == [0.55, 0.55]
    assert level.text[1] == "ln 2"
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.xaxis.tickvals) == [1, 4]
