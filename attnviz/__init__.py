"""A visual explorer of softmax and attention in which every number can be checked by hand.

The package is folders that build on each other, with the same file name for the same subject in
each. ``core`` is the maths, with NumPy and the standard library only; it is what
``import attnviz`` brings, and its public names are the ones below. ``state`` is what a person
can set: frozen dataclasses, their links, and the reader of typed numbers. ``figures`` turns
arrays into Plotly figures. ``exports`` turns arrays and state into text to take away: CSV,
NumPy, LaTeX. ``content`` is what a person reads: lessons, presets, exercises. ``check`` runs a
person's own functions on the person's own machine. ``ui`` holds the only Streamlit helpers, and
``pages`` one script a page, from typed text to the screen. Data moves one way: typed text,
validated state, core, named steps, figure, screen.
"""

from attnviz.core.attention import AttentionSteps, attention
from attnviz.core.entropy import effective_keys, entropy
from attnviz.core.jacobian import softmax_jacobian
from attnviz.core.masks import MASKS, Mask
from attnviz.core.softmax import hard_max, log_softmax, naive_softmax, rows_normalised, softmax
from attnviz.core.steps import SoftmaxSteps, softmax_steps, weights_against_beta

__all__ = [
    "MASKS",
    "AttentionSteps",
    "Mask",
    "SoftmaxSteps",
    "attention",
    "effective_keys",
    "entropy",
    "hard_max",
    "log_softmax",
    "naive_softmax",
    "rows_normalised",
    "softmax",
    "softmax_jacobian",
    "softmax_steps",
    "weights_against_beta",
]
