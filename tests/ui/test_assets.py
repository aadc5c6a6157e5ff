"""The page's own files come from this server, packed once, and from nowhere else."""

import asyncio
import gzip
import re

import pytest
from starlette.applications import Starlette

from attnviz.ui import assets
from attnviz.ui.assets import FOLDER, MIDDLEWARE, PLOTLY, ROUTES, base
from tests.pages.driver import Visit

SCRIPTS = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".js", ".css"))
SERVER = Starlette(routes=ROUTES, middleware=MIDDLEWARE)


def fetch(path, accept=""):
    """Ask the server for an address; return status, headers and body."""
    sent = []
    scope = {
        "type": "http", "method": "GET", "http_version": "1.1", "scheme": "http", "path": path,
        "raw_path": path.encode(), "root_path": "", "query_string": b"", "server": ("here", 80),
        "headers": [(b"accept-encoding", accept.encode())] if accept else [],
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(SERVER(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("name", [*SCRIPTS, PLOTLY.name])
def test_every_script_is_served_whole_plain_and_packed_and_may_be_kept_for_good(name):
    path = PLOTLY if name == PLOTLY.name else FOLDER / name
    for accept in ("", "gzip, deflate, br"):
        status, headers, body = fetch(f"/{base()}/{name}", accept)
        assert status == 200
        assert headers["content-type"].startswith("text/css" if ".css" in name else "text/java")
        assert "immutable" in headers["cache-control"]
        assert "accept-encoding" in headers["vary"].lower()
        assert headers.get("content-encoding", "") == ("gzip" if accept else "")
        assert int(headers["content-length"]) == len(body)
        assert (gzip.decompress(body) if accept else body) == path.read_bytes()


def test_plotly_travels_packed_in_a_third_of_its_size():
    _, _, body = fetch(f"/{base()}/{PLOTLY.name}", "gzip")
    assert len(body) < PLOTLY.stat().st_size / 3


@pytest.mark.parametrize(
    "path",
    ["nothing.js", "../assets.py", "..%2Fassets.py", "icon.png", "", ".", "/etc"],
)
def test_no_other_file_can_be_fetched(path):
    status, _, body = fetch(f"/{base()}/{path}")
    assert status == 404
    assert b"import" not in body
    assert fetch("/attnviz/0123456789/base.js")[0] == 404


@pytest.mark.parametrize("name", [*SCRIPTS, PLOTLY.name])
def test_the_address_is_another_when_any_file_is_another(name, monkeypatch, tmp_path):
    changed = tmp_path / name
    changed.write_bytes(assets._FILES[name].read_bytes() + b" ")
    before = base.__wrapped__()  # computed anew, not remembered
    assert base.__wrapped__() == before
    monkeypatch.setitem(assets._FILES, name, changed)
    assert base.__wrapped__() != before


def test_every_address_on_the_pages_is_relative_and_is_served():
    found = set()
    for page in (Visit(), Visit("start"), Visit(link="view=lecture")):
        for node in page.elements:
            if node.type == "bidi_component":
                found |= set(re.findall(r'"([^"]+\.(?:js|css))"', node.proto.js_content))
        found.add(page.data("bars")["source"])
    assert len(found) >= 7
    for address in found:
        assert address.startswith("attnviz/")
        assert fetch(f"/{address}")[0] == 200


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_loads_only_its_neighbours(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    for imported in re.findall(r"(?:from|import|import\()\s*'([^']+)'", text):
        assert imported.removeprefix("./") in SCRIPTS
    assert "//" not in re.sub(r"(^|\s)//.*", "", text)  # but for comments, no other host
    assert not re.search(r"@import|url\((?!['\"]?data:)", text)
    assert not re.search(r"\b(eval|Function|innerHTML|outerHTML|insertAdjacentHTML)\b", text)


def test_what_a_part_brings_with_every_run_is_a_few_hundred_bytes():
    for node in Visit().elements:
        if node.type == "bidi_component":
            proto = node.proto
            assert len(proto.js_content) + len(proto.html_content) < 300
            assert proto.css_content == ""
            assert "\n" in proto.js_content  # else Streamlit takes it for a path
