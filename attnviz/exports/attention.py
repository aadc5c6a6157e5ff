"""Attention to take away: NumPy and PyTorch, tables as CSV, one head as JSON or .npz, LaTeX."""

from attnviz.exports.attention_csv import (
    COLUMNS,
    AttentionTable,
    output_csv,
    read_table_csv,
    table_csv,
)
from attnviz.exports.attention_head import AttentionHead
from attnviz.exports.attention_json import json_text, read_json
from attnviz.exports.attention_latex import latex_text
from attnviz.exports.attention_npz import npz_bytes
from attnviz.exports.attention_numpy import numpy_text
from attnviz.exports.attention_torch import torch_text

__all__ = [
    "COLUMNS",
    "AttentionHead",
    "AttentionTable",
    "json_text",
    "latex_text",
    "npz_bytes",
    "numpy_text",
    "output_csv",
    "read_json",
    "read_table_csv",
    "table_csv",
    "torch_text",
]
