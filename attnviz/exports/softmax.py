"""Softmax to take away: the table as CSV, the arithmetic as NumPy, the formula as LaTeX."""

from attnviz.exports.softmax_csv import COLUMNS, SoftmaxTable, read_table_csv, table_csv
from attnviz.exports.softmax_latex import latex_text
from attnviz.exports.softmax_numpy import numpy_text

__all__ = ["COLUMNS", "SoftmaxTable", "latex_text", "numpy_text", "read_table_csv", "table_csv"]
