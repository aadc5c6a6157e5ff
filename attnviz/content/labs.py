"""What the laboratories share: a preset, a plain table of texts, words that all of them say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

State = TypeVar("State")


@dataclass(frozen=True)
class Preset(Generic[State]):
    """A prepared state with the name it has on the screen."""

    title: str
    state: State


def states_of(presets: Mapping[str, Preset[State]]) -> dict[str, State]:
    """Return what each preset's name stands for in a link.

    Parameters
    ----------
    presets : mapping of str to Preset

    Returns
    -------
    dict of str to state
    """
    return {name: preset.state for name, preset in presets.items()}


def titles_of(presets: Mapping[str, Preset[Any]]) -> dict[str, str]:
    """Return the name of each preset on the screen.

    Parameters
    ----------
    presets : mapping of str to Preset

    Returns
    -------
    dict of str to str
    """
    return {name: preset.title for name, preset in presets.items()}


def plain_table(
    caption: str,
    head: Sequence[tuple[str, str]],
    rows: Sequence[Mapping[str, Any]],
    foot: Sequence[tuple[str, Sequence[str]]] = (),
) -> dict[str, Any]:
    """Lay out a table of texts that nobody changes.

    Parameters
    ----------
    caption : str
    head : sequence of (str, str)
        Words and help of each column; the first is the column of labels.
    rows : sequence of mapping
        ``label``, ``cells``, and where wanted ``color`` and ``masked``.
    foot : sequence of (str, sequence of str)
        Label and cells of each closing line.

    Returns
    -------
    dict
        For `attnviz.ui.parts.table`.
    """
    return {
        "caption": caption,
        "head": [
            {"id": str(at), "text": text, "help": help} for at, (text, help) in enumerate(head)
        ],
        "rows": [{"color": None, "masked": False, **row} for row in rows],
        "foot": [{"label": label, "cells": list(cells)} for label, cells in foot],
        "pick": "",
        "symbols": "",
        "words": "",
    }
