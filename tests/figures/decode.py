"""Read Plotly's JSON in tests: its numbers travel as base64 typed arrays."""

import base64
import json
from typing import Any

import numpy as np


def decoded(node: Any) -> Any:
    """Return the same structure with every ``{"dtype", "bdata", "shape"}`` as a numpy array.

    `node` is a figure, its JSON text, or any part of the parsed JSON.
    """
    if hasattr(node, "to_json"):
        node = node.to_json()
    if isinstance(node, str) and node[:1] == "{":
        node = json.loads(node)
    if isinstance(node, dict):
        if "bdata" in node:
            array = np.frombuffer(base64.b64decode(node["bdata"]), dtype=np.dtype(node["dtype"]))
            shape = node.get("shape")
            if shape is None:
                return array
            return array.reshape([int(size) for size in str(shape).split(",")])
        return {key: decoded(value) for key, value in node.items()}
    if isinstance(node, list):
        return [decoded(value) for value in node]
    return node
