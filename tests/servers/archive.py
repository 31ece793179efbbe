"""A server of files in folders, as ftp.ncbi.nlm.nih.gov speaks over https: listings, checksums, parts of files."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from tests.servers.base import Asked, Said, Served, serving
from tests.servers.files import Filing

NOT_FOUND = "<!DOCTYPE HTML><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"


class Mishaps(NamedTuple):
    """What goes wrong, by the path of a file.

    cuts      bytes after which its first answers break off
    garbled   how often it is sent with other bytes than its checksum says
    down      how often its server answers 503
    """

    cuts: Mapping[str, tuple[int, ...]] = {}
    garbled: Mapping[str, int] = {}
    down: Mapping[str, int] = {}


NONE = Mishaps()


class Archive:
    """Answers for every file of a tree, for "….md5" of each, and for the folders that they lie in."""

    def __init__(self, files: Mapping[str, bytes], mishaps: Mishaps = NONE) -> None:
        self.files = files
        self.garbled, self.down = dict(mishaps.garbled), dict(mishaps.down)
        self.filings = {
            path: Filing(content, tag=f'"{len(content)}"', cuts=mishaps.cuts.get(path, ()))
            for path, content in files.items()
        }

    def __call__(self, asked: Asked) -> Said:
        path = asked.path
        if self.down.get(path):
            self.down[path] -= 1
            return Said(b"Service Unavailable", 503, "text/html")
        if self.garbled.get(path):
            self.garbled[path] -= 1
            return Said(self.files[path][::-1], type="application/x-gzip")
        if path in self.filings:
            return self.filings[path](asked)
        if path.endswith(".md5") and path.removesuffix(".md5") in self.files:
            return self._sum(path.removesuffix(".md5"))
        if path.endswith("/") and any(name.startswith(path) for name in self.files):
            return Said("".join(self._listing(path)).encode(), type="text/html;charset=UTF-8")
        return Said(NOT_FOUND.encode(), 404, "text/html")

    def _sum(self, path: str) -> Said:
        digest = hashlib.md5(self.files[path], usedforsecurity=False).hexdigest()
        return Said(f"MD5({path.rpartition('/')[2]})= {digest}\n".encode(), type="text/plain")

    def _listing(self, folder: str) -> Iterator[str]:
        yield f"<!DOCTYPE html>\n<html><head><title>Index of {folder}</title></head><body>\n"
        yield f"<h1>Index of {folder}</h1>\n"
        yield "<pre>Name                     Last modified      Size  <hr>"
        yield '<a href="/">Parent Directory</a>                              -   \n'
        yield '<a href="README.txt">README.txt</a>               2025-12-08 14:11  4.0K  \n'
        for path, content in sorted(self.files.items()):
            name = path.removeprefix(folder)
            if path.startswith(folder) and "/" not in name:
                for shown, size in ((name, len(content)), (f"{name}.md5", 60)):
                    yield f'<a href="{shown}">{shown}</a>{" " * (25 - len(shown))}2025-12-08 14:11  {rounded(size)}  \n'
        yield "<hr></pre>\n</body></html>\n"


def rounded(size: int) -> str:
    """A size as Apache prints it in lists: 512, 4.0K, 20M."""
    if size < 1024:
        return f"{size:>4}"
    for unit in ("K", "M"):
        size_ = size / 1024 if unit == "K" else size / 1024**2
        if size_ < 1024:
            return f"{size_:>3.1f}{unit}" if size_ < 10 else f"{size_:>3.0f}{unit}"
    return f"{size / 1024**3:.1f}G"


@contextmanager
def archive(files: Mapping[str, bytes], mishaps: Mishaps = NONE) -> Iterator[Served]:
    """Serve these files: path ("/pubmed/baseline/a.gz") → content."""
    with serving(Archive(files, mishaps)) as served:
        yield served
