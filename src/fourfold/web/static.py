"""Files of the page: compressed once, and not sent again to a browser that has them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

# A browser asks each time whether what it has still holds, and so has new scripts at once after an upgrade.
_ASK_AGAIN: Final = "no-cache"


class StaticFile:
    """A text with a tag that is another whenever the text is."""

    def __init__(self, text: bytes, kind: str, tag: str | None = None) -> None:
        self._text, self._packed = text, gzip.compress(text, mtime=0)
        self._kind = kind
        self._tag = tag or hashlib.sha256(text).hexdigest()[:32]

    def response(self, request: Request) -> Response:
        """Return the file as the client takes it, or that the client has it."""
        if (known := not_modified(request, self._tag)) is not None:
            return known
        if not _takes_gzip(request):
            return Response(self._text, headers=_headers(self._tag), media_type=self._kind)
        headers = {**_headers(self._tag), "Content-Encoding": "gzip"}
        return Response(self._packed, headers=headers, media_type=self._kind)


def not_modified(request: Request, tag: str) -> Response | None:
    """Return the answer to a client that has what has this tag; None to others."""
    # Weak tags, as these are, stand for the text, compressed or not.
    known = {text.strip().removeprefix("W/") for text in request.headers.get("if-none-match", "").split(",")}
    return Response(status_code=304, headers=_headers(tag)) if f'"{tag}"' in known else None


def _headers(tag: str) -> Mapping[str, str]:
    return {"ETag": f'W/"{tag}"', "Cache-Control": _ASK_AGAIN, "Vary": "Accept-Encoding"}


def _takes_gzip(request: Request) -> bool:
    for part in request.headers.get("accept-encoding", "").split(","):
        name, _, weight = part.partition(";")
        if name.strip().lower() == "gzip":
            return weight.replace(" ", "").rstrip(".0") != "q="
    return False
