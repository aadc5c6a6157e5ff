import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from attnviz import MASKS, attention, effective_keys
from attnviz.content import gallery
from attnviz.content.gallery import HEADS, load

FOLDER = Path(gallery.__file__).parent
DATA = Path(__file__).parent / "data"
HALF = 0.005  # a weight in a sentence is rounded to 2 decimals


def weights_of(name):
    head = load(name)
    n_q, n_k = len(head.q), len(head.k)
    allowed = MASKS["causal"].allowed(n_q, n_k) if head.causal else None
    return attention(head.q, head.k, head.v, allowed=allowed, scale=head.scale).weights


def weight(name, query, key, nth_query=0, nth_key=0):
    """The weight of a query on a key; both are tokens without the sign for a word's start."""
    head = load(name)
    i, j = (
        [at for at, t in enumerate(tokens) if t.lstrip(" ▁") == token][nth]
        for tokens, token, nth in (
            (head.q_tokens, query, nth_query),
            (head.k_tokens, key, nth_key),
        )
    )
    return weights_of(name)[i, j]


def numbers_in(name):
    return [float(text) for text in re.findall(r"\d+(?:\.\d+)?", HEADS[name].say)]


# -- files ----------------------------------------------------------------------------------------


def test_every_head_has_a_file_and_every_file_a_head():
    assert {path.stem for path in FOLDER.glob("*.npz")} == set(HEADS)


@pytest.mark.parametrize("name", HEADS)
def test_a_file_holds_plain_arrays_and_no_pickle(name):
    kinds = {}
    with zipfile.ZipFile(FOLDER / f"{name}.npz") as file:
        for member in file.namelist():
            with file.open(member) as stream:
                array = np.lib.format.read_array(stream, allow_pickle=False)
            kinds[member.removesuffix(".npy")] = array.dtype.kind
    assert kinds == {
        **dict.fromkeys(("q", "k", "v", "scale"), "f"),
        **dict.fromkeys(("q_tokens", "k_tokens"), "U"),
        "causal": "b",
    }


def test_the_gallery_is_small():
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < 300_000


def test_the_licences_name_every_model_its_licence_its_source_and_every_head():
    text = (FOLDER / "LICENCES.md").read_text(encoding="utf-8")
    models = json.loads((FOLDER / "heads.json").read_text(encoding="utf-8"))["models"]
    assert len(models) == 3
    for model in models.values():
        assert f"## {model['name']}\n" in text
        assert model["package"].removesuffix(" (PyPI)") in text
        assert model["licence"] in model["credit"]
        name, version = model["licence"].split("-")
        full = {"Apache": "Apache License", "MPL": "Mozilla Public License"}[name]
        assert f"Licence: {full} {version}" in text
    for name, about in HEADS.items():
        row = f"| {name} | {about.layer}, {about.head} | {about.text} |"
        assert row in text
    assert "/work" not in text


def test_a_head_is_read_when_it_is_first_asked_for():
    code = (
        "from attnviz.content import attention, gallery\n"
        "for name, preset in attention.PRESETS.items():\n"
        "    assert preset.title and preset.say and name in attention.preset_states()\n"
        "assert gallery.load.cache_info().currsize == 0\n"
        "assert attention.preset_states()['smollm2-sink'].n_q == 13\n"
        "assert gallery.load.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER.parents[2])


def test_a_head_that_is_not_there_is_no_path_to_a_file():
    for name in ("", "../gallery/smollm2-sink", "smollm2-sink.npz"):
        with pytest.raises(KeyError):
            load(name)


# -- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HEADS)
def test_a_head_has_fitting_shapes_and_cannot_be_changed(name):
    head = load(name)
    assert head is load(name)
    assert head.q.shape == (len(head.q_tokens), head.k.shape[1])
    assert len(head.k) == len(head.v) == len(head.k_tokens)
    assert head.q.dtype == head.k.dtype == np.float32
    assert head.v.dtype == np.float16
    assert all(np.isfinite(array).all() for array in (head.q, head.k, head.v))
    assert head.scale == 1 / np.sqrt(head.k.shape[1])
    assert 0 <= HEADS[name].row < len(head.q)
    for array in (head.q, head.k, head.v):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


@pytest.mark.parametrize("name", HEADS)
def test_recomputed_weights_are_those_of_the_model(name):
    """The reference weights come from the model itself, run with its own library."""
    with np.load(DATA / "gallery_weights.npz") as file:
        reference = file[name]
    weights = weights_of(name)
    assert weights.shape == reference.shape
    np.testing.assert_allclose(weights, reference, rtol=0, atol=2e-4)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)


def test_heads_of_a_decoder_are_causal_and_only_the_translator_has_two_sorts_of_tokens():
    for name in HEADS:
        head = load(name)
        assert head.causal == name.startswith("smollm2")
        assert (head.q_tokens != head.k_tokens) == name.startswith("enpt")


# -- sentences ------------------------------------------------------------------------------------


def test_the_previous_token_head_does_what_it_says():
    (bound,) = numbers_in("minilm-previous")
    weights = weights_of("minilm-previous")
    assert (np.diagonal(weights, -1) > bound).all()


def test_the_same_word_head_does_what_it_says():
    said = numbers_in("minilm-same-word")
    name = "minilm-same-word"
    pairs = [(word, i, 1 - i) for word in ("cat", "mat") for i in (0, 1)]
    found = [weight(name, word, word, i, j) for word, i, j in pairs]
    np.testing.assert_allclose(said, found, rtol=0, atol=HALF)
    assert min(found) > 0.75


def test_the_coreference_head_does_what_it_says():
    for name, query, keys in (
        ("minilm-it-animal", "it", ("animal", "street")),
        ("minilm-she-sister", "she", ("sister", "friend")),
    ):
        found = [weight(name, query, key) for key in keys]
        np.testing.assert_allclose(numbers_in(name), found, rtol=0, atol=HALF)
        assert found[0] == weights_of(name)[HEADS[name].row].max()
    about = HEADS["minilm-it-animal"], HEADS["minilm-she-sister"]
    assert len({(a.layer, a.head) for a in about}) == 1
    assert "“it → animal”" in about[1].say


def test_the_averaging_head_does_what_it_says():
    mean, n_k = numbers_in("minilm-near-uniform")
    weights = weights_of("minilm-near-uniform")
    assert np.mean(effective_keys(weights)) == pytest.approx(mean, abs=0.05)
    assert weights.shape[1] == n_k


def test_the_induction_head_does_what_it_says():
    name = "smollm2-induction"
    tokens = load(name).q_tokens
    assert [t.strip() for t in tokens[3:6]] == ["painted", "the", "door"]
    assert [t.strip() for t in tokens[-2:]] == ["painted", "the"]
    weights = weights_of(name)[-1]
    assert weights.argmax() == 5
    assert numbers_in(name) == pytest.approx([weights[5]], abs=HALF)


def test_the_sink_does_what_it_says():
    (bound,) = numbers_in("smollm2-sink")
    assert (weights_of("smollm2-sink")[:, 0] > bound).all()


def test_the_alignment_heads_do_what_they_say():
    name = "enpt-alignment"
    found = [weight(name, "gato", "cat"), weight(name, "preto", "black")]
    np.testing.assert_allclose(numbers_in(name), found, rtol=0, atol=HALF)
    name = "enpt-reversed"
    words = [re.findall(r"“(.*?)”", HEADS[name].say)[0].split(), ["Area", "Economic", "European"]]
    found = [weight(name, query, key) for query, key in zip(*words, strict=True)]
    assert min(found) > 0.7
    assert words[1] == re.findall(r"“(.*?)”", HEADS[name].say)[1:]


def test_every_sentence_is_checked_above():
    source = Path(__file__).read_text(encoding="utf-8")
    for name in HEADS:
        assert f'"{name}"' in source
