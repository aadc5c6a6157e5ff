"""Write a state as a link and read it back; damaged parts become defaults, each with a note.

A link holds only what differs from the page's default, or from the preset that it names. Numbers
stand between ``_``, rows between ``~``; neither needs escaping. Above `READABLE` characters the
link is packed into one parameter ``s`` with a checksum; above `LONGEST` there is no link and the
page offers a file instead.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode

from attnviz.state.fields import FieldError, fields_of, quoted

State = TypeVar("State")

READABLE = 2_000  # chat programs cut longer addresses
LONGEST = 8_000  # proxies refuse longer addresses
INFLATED = 256 * 1024  # bytes that are ever unpacked from one link
FILE = 1_000_000  # bytes of a file that is read: the largest state has fewer
_MOST_FIELDS = 100
PACKED = "s"
PRESET = "preset"
_FILE_HEAD = "attnviz state of the page "
STREAMLIT_OWN = frozenset({"embed", "embed_options"})

_ESCAPES = {"~": "~~", "_": "~u", ",": "~c", ";": "~s"}
_UNESCAPES = {"~": "~", "u": "_", "c": ",", "s": ";", "e": ""}


@dataclass(frozen=True)
class Decoded(Generic[State]):
    """What a link opened.

    Attributes
    ----------
    state : State
        Always a valid state.
    notes : tuple of str
        One sentence for each part of the link that could not be read.
    """

    state: State
    notes: tuple[str, ...]


def encode(state: Any, presets: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters of the link that opens this state.

    Parameters
    ----------
    state : dataclass of declared fields
        With an attribute ``preset``: the name of the preset it started from, or ``""``.
    presets : mapping of str to state
        What a preset's name stands for.

    Returns
    -------
    dict of str to str
        Empty for the default state; ``{"s": …}`` when the readable form would be longer than
        `READABLE` characters.
    """
    params = _written(state, presets)
    text = urlencode(params)
    return params if len(text) <= READABLE else {PACKED: _pack(text)}


def _written(state: Any, presets: Mapping[str, Any]) -> dict[str, str]:
    base = presets.get(state.preset, type(state)())
    params = {PRESET: state.preset} if state.preset in presets else {}
    for field in fields_of(state):
        value = getattr(state, field.name)
        if value != getattr(base, field.name):
            name, text = field.write(value)
            params[name] = text
    return params


def write_file(page: str, state: Any, presets: Mapping[str, Any]) -> str:
    """Write a state of any size as a text file that `read_file` opens.

    Parameters
    ----------
    page : str
        Name of the page.
    state : dataclass of declared fields
    presets : mapping of str to state

    Returns
    -------
    str
        Two lines: what it is, and the parameters as a link holds them.
    """
    return f"{_FILE_HEAD}{page}\n{urlencode(_written(state, presets))}\n"


def read_file(
    page: str, content: bytes, cls: type[State], presets: Mapping[str, State]
) -> Decoded[State]:
    """Read a file that `write_file` wrote; never raises.

    Parameters
    ----------
    page : str
        The page that opens it.
    content : bytes
    cls : type
        The page's state.
    presets : mapping of str to state

    Returns
    -------
    Decoded
        With a note, and the default state, when the file is something else.
    """
    if len(content) > FILE:
        return Decoded(
            cls(), (f"The file is larger than {FILE // 1_000_000} MB; nothing was read.",)
        )
    head, _, rest = content.decode("utf-8", "replace").lstrip("\ufeff").partition("\n")
    if head.strip() != f"{_FILE_HEAD}{page}":
        return Decoded(cls(), (f"This is not a file of attnviz's {page} page; nothing was read.",))
    try:
        fields = parse_qsl(rest.strip(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return Decoded(cls(), ("The file holds too many fields; nothing was read.",))
    return decode(dict(fields), cls, presets)


def pack_state(state: Any, presets: Mapping[str, Any]) -> str:
    """Pack a whole state into one text, such as the state A of a comparison.

    Parameters
    ----------
    state : dataclass of declared fields
    presets : mapping of str to state

    Returns
    -------
    str
    """
    return _pack(urlencode(_written(state, presets)))


def unpack_state(text: str, cls: type[State], presets: Mapping[str, State]) -> Decoded[State]:
    """Read what `pack_state` wrote; never raises.

    Parameters
    ----------
    text : str
    cls : type
    presets : mapping of str to state

    Returns
    -------
    Decoded
    """
    return decode({PACKED: text}, cls, presets)


def fits_packed(text: str) -> bool:
    """Tell whether what `pack_state` wrote is small enough to be unpacked.

    Parameters
    ----------
    text : str

    Returns
    -------
    bool
    """
    try:
        check_packed(text)
    except ValueError:
        return False
    return True


def check_packed(text: str) -> None:
    """Check that a text is what `pack_state` wrote, whole and unaltered.

    Parameters
    ----------
    text : str

    Raises
    ------
    ValueError
        With a sentence.
    """
    _unpack(text)


def too_long(params: Mapping[str, str]) -> bool:
    """Tell whether a link with these parameters is longer than `LONGEST` characters.

    Parameters
    ----------
    params : mapping of str to str

    Returns
    -------
    bool
    """
    return len(urlencode(params)) > LONGEST


def decode(
    params: Mapping[str, str | Sequence[str]], cls: type[State], presets: Mapping[str, State]
) -> Decoded[State]:
    """Read the parameters of a link; never raises.

    Parameters
    ----------
    params : mapping of str to str or to a sequence of str
        A repeated name holds its texts in order; the last one counts. Unknown names and those
        of Streamlit are ignored.
    cls : type
        The page's state.
    presets : mapping of str to state

    Returns
    -------
    Decoded
        A valid state, and a sentence for each part that was not understood.
    """
    notes: list[str] = []
    texts = {name: _last(value) for name, value in params.items() if name not in STREAMLIT_OWN}
    if PACKED in texts:
        try:
            texts = _unpack(texts.pop(PACKED)) | texts
        except ValueError as error:
            notes.append(f"The link is damaged: {error}. What it held was left out.")
    base = cls()
    if PRESET in texts:
        if texts[PRESET] in presets:
            base = dataclasses.replace(presets[texts[PRESET]], preset=texts[PRESET])
        else:
            notes.append(f"There is no preset {quoted(texts[PRESET])}; the default is shown.")
    values: dict[str, Any] = {}
    lost: list[tuple[str, str]] = []
    for field in fields_of(cls):
        given = [name for name in field.reads if name in texts]
        if len(given) > 1:
            notes.append(f"The link gives {' and '.join(given)}; {given[-1]} is used.")
        for name in given[-1:]:
            try:
                values[field.name] = field.reads[name](texts[name])
            except ValueError as error:
                lost.append((field.name, f"{name} in the link: {error}."))
    state, broken = _build(base, values)
    defaults = {field.name: field.default for field in fields_of(cls)}
    for name, sentence in (*lost, *broken):
        whose = "default" if getattr(state, name) == defaults[name] else "preset's value"
        notes.append(f"{sentence} The {whose} is shown.")
    return Decoded(state, tuple(notes))


def _build(base: Any, values: dict[str, Any]) -> tuple[Any, list[tuple[str, str]]]:
    """Put the values on the base; what breaks a rule between fields gives way to the base's own.

    Where that breaks it too, the default is taken. The sentences say what a link named and lost.
    """
    lost: list[tuple[str, str]] = []
    defaults = {field.name: field.default for field in fields_of(base)}
    while True:
        try:
            return dataclasses.replace(base, **values), lost
        except FieldError as error:
            given = [n for n in (error.name, *error.others) if n in values and n not in dict(lost)]
            name = given[0] if given else error.name
            if name in dict(lost) or name not in values:
                if values.get(name) == defaults[name]:
                    break
                values = values | {name: defaults[name]}
            else:
                lost.append((name, f"{_link_name(base, name)} in the link: {error}."))
                values = {n: value for n, value in values.items() if n != name}
    return type(base)(), [
        (name, f"{_link_name(base, name)} in the link does not fit the rest.") for name in values
    ]


def _link_name(state: Any, name: str) -> str:
    """Return the name that a field has in a link."""
    reads = next((field.reads for field in fields_of(state) if field.name == name), {name: None})
    return name if name in reads or len(reads) > 1 else next(iter(reads))


def _last(value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return value
    return value[-1] if value else ""


def _pack(text: str) -> str:
    raw = text.encode()
    body = zlib.crc32(raw).to_bytes(4, "big") + zlib.compress(raw, 9)
    return base64.urlsafe_b64encode(body).decode().rstrip("=")


def _unpack(packed: str) -> dict[str, str]:
    if len(packed) > INFLATED:
        raise ValueError(f"it is longer than {INFLATED} characters")
    try:
        text = packed.rstrip("=")
        if not text.isascii() or any(c in "+/" for c in text):
            raise ValueError("its packed part holds characters that no link of ours has")
        body = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        inflater = zlib.decompressobj()
        raw = inflater.decompress(body[4:], INFLATED)
        if inflater.unconsumed_tail:
            raise ValueError(f"it would unpack to more than {INFLATED // 1024} kB")
        if not inflater.eof or inflater.unused_data:
            raise ValueError("its packed part is cut or has something added")
    except (binascii.Error, zlib.error):
        raise ValueError("its packed part was cut or altered") from None
    if zlib.crc32(raw).to_bytes(4, "big") != body[:4]:
        raise ValueError("its packed part does not match its checksum")
    return dict(parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True))


def write_list(items: Iterable[str]) -> str:
    """Write labels between ``_``; any label survives the round trip.

    Parameters
    ----------
    items : iterable of str

    Returns
    -------
    str

    Examples
    --------
    >>> write_list(["the", "cat_s", ""])
    'the_cat~us_~e'
    """
    return "_".join("".join(_ESCAPES.get(c, c) for c in item) or "~e" for item in items)


def read_list(text: str) -> tuple[str, ...]:
    """Read labels between ``_``, ``,`` or ``;``.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of str
        Empty for empty text.

    Examples
    --------
    >>> read_list("the_cat~us_~e"), read_list("the,cat")
    (('the', 'cat_s', ''), ('the', 'cat'))
    """
    if not text:
        return ()
    items, item, escaped = [], [], False
    for c in text:
        if escaped:
            item.append(_UNESCAPES.get(c, "~" + c))
            escaped = False
        elif c == "~":
            escaped = True
        elif c in "_,;":
            items.append("".join(item))
            item = []
        else:
            item.append(c)
    items.append("".join(item) + ("~" if escaped else ""))
    return tuple(items)


def read_positions(text: str) -> tuple[int, ...]:
    """Read positions, counted from 0, between ``_``, ``,`` or ``;``.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of int
        In increasing order, each once.

    Raises
    ------
    ValueError
        When a part is not a whole number from 0 to 999.

    Examples
    --------
    >>> read_positions("2_0,2")
    (0, 2)
    """
    found = set()
    for part in read_list(text):
        if not (part.isascii() and part.isdigit() and len(part) <= 3):
            raise ValueError(f"positions are whole numbers from 0; got {quoted(part)}")
        found.add(int(part))
    return tuple(sorted(found))


def write_positions(positions: Iterable[int]) -> str:
    """Write positions between ``_``.

    Parameters
    ----------
    positions : iterable of int

    Returns
    -------
    str
    """
    return "_".join(str(p) for p in positions)
