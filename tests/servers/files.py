"""A server of one large file, which may be cut off on the way, change its edition, or know nothing of ranges."""

from tests.servers.base import Asked, Said


class Filing:
    """Answers GET with the content, or with the part of it that is asked for (RFC 9110, 14).

    tag     the ETag; "" gives none
    ranges  False: every request is answered with the whole
    cuts    bytes after which the next answers break off; when none is left they are whole
    """

    def __init__(self, content: bytes, *, tag: str = '"1"', ranges: bool = True, cuts: tuple[int, ...] = ()) -> None:
        self.content = content
        self.tag = tag
        self.ranges = ranges
        self.cuts = list(cuts)

    def __call__(self, asked: Asked) -> Said:
        start = self._start(asked)
        if start > len(self.content) or (start and start == len(self.content)):
            return Said(b"", 416, headers={"Content-Range": f"bytes */{len(self.content)}"})
        rest = self.content[start:]
        headers = {"ETag": self.tag} if self.tag else {}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
        cut = self.cuts.pop(0) if self.cuts else len(rest)
        length = len(rest) if cut < len(rest) else 0
        return Said(rest[:cut], 206 if start else 200, "application/gzip", headers, length)

    def _start(self, asked: Asked) -> int:
        wanted = asked.headers.get("Range", "")
        if not self.ranges or not wanted or asked.headers.get("If-Range", self.tag) != self.tag:
            return 0
        return int(wanted.removeprefix("bytes=").removesuffix("-"))
