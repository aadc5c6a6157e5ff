"""Serve the page's own scripts and plotly.js from this very server: nothing comes from afar.

The address of a script holds a hash of all of them: a browser keeps them for good, and a new
version has a new address.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path

import plotly
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).parent / "static"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_FILES = {path.name: path for path in sorted(FOLDER.iterdir()) if path.suffix in _TYPES} | {
    PLOTLY.name: PLOTLY
}


@cache
def base() -> str:
    """Return the folder of the scripts in the address, relative to the page.

    Returns
    -------
    str
        Such as ``attnviz/1f2e3d4c``.
    """
    digest = hashlib.sha256()
    for path in _FILES.values():
        digest.update(path.read_bytes())
    return f"attnviz/{digest.hexdigest()[:10]}"


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(_FILES[name].read_bytes(), 6, mtime=0)


async def _serve(request: Request) -> Response:
    path = _FILES.get(request.path_params["name"])
    if path is None:
        return Response("Not found", status_code=404)
    headers = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
    media = _TYPES[path.suffix]
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(_packed(path.name), media_type=media, headers=headers)
    return Response(path.read_bytes(), media_type=media, headers=headers)


ROUTES = [Route(f"/{base()}/{{name}}", _serve)]
MIDDLEWARE = [Middleware(GZipMiddleware, minimum_size=2_000, compresslevel=5)]
