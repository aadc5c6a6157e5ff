import json
import subprocess
import sys
from pathlib import Path

import attnviz

ROOT = Path(attnviz.__file__).parents[1]
PUBLIC = [
    *("softmax", "log_softmax", "naive_softmax", "hard_max", "rows_normalised"),
    *("entropy", "effective_keys", "softmax_jacobian", "MASKS", "Mask"),
    *("softmax_steps", "SoftmaxSteps", "weights_against_beta", "attention", "AttentionSteps"),
]


def test_importing_the_package_brings_numpy_and_the_standard_library_only():
    code = (
        "import sys, json; before = set(sys.modules); import attnviz; "
        "print(json.dumps(sorted({name.split('.')[0] for name in set(sys.modules) - before})))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    brought = set(json.loads(run.stdout))
    assert {"attnviz", "numpy"} <= brought
    assert brought - {"attnviz", "numpy"} <= set(sys.stdlib_module_names)
    assert not brought & {"streamlit", "plotly", "pandas"}


def test_the_public_names_are_the_contract_and_each_has_a_docstring():
    assert sorted(attnviz.__all__) == sorted(PUBLIC)
    for name in PUBLIC:
        thing = getattr(attnviz, name)
        if callable(thing):
            assert len(thing.__doc__) > 100, name


def test_the_docstring_of_the_package_maps_every_layer():
    for layer in ("core", "state", "figures", "exports", "content", "check", "ui", "pages"):
        assert f"``{layer}``" in attnviz.__doc__
