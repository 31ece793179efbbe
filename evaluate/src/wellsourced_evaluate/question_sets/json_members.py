"""The members of one JSON document, one at a time: some sets are a single object of half a gigabyte."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import FILE_LIMIT, DecompressedFile
from wellsourced_evaluate.questions.case_rows import BadRow

BLOCK_SIZE = 1 << 16
"""Characters that are read at a time, at least."""

REMEDY = "See whether the file was written to the end, or fetch it again."


class _JsonCursor:
    """A place in a text that is read as far as it is needed.

    repeated   keys that stood twice in the value which was read last: JSON allows it, and one of the two is lost
    """

    def __init__(self, stream: io.TextIOBase) -> None:
        self._stream, self._text, self._at = stream, "", 0
        self.repeated: list[str] = []
        self._decoder = json.JSONDecoder(object_pairs_hook=self._build_object)

    def _build_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            self.repeated += sorted({name for name in names if names.count(name) > 1})
        return made

    def _read_more(self) -> bool:
        # What is not whole yet is read again from its beginning: so it grows by a factor.
        more = self._stream.read(max(BLOCK_SIZE, 3 * (len(self._text) - self._at)))
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def peek(self) -> str:
        """The next character that is no blank; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_more():
                return ""

    def take(self, wanted: str) -> bool:
        """Whether the next character is the one wanted; if so it is passed."""
        found = self.peek() == wanted
        self._at += found
        return found

    def read_value(self) -> Any:
        """The next value. Raises ValueError where there is none."""
        self.peek()
        while True:
            self.repeated.clear()
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except ValueError:
                if not self._read_more():
                    raise
                continue
            # A number at the end of what was read may go on.
            if end == len(self._text) and self._read_more():
                continue
            self._at = end
            return value


def iter_members(path: Path) -> Iterator[tuple[str, Any]]:
    """(key, or number from 1, and value) of each member of the one object or array in a file; a BadRow is a value too.

    Raises UnreadableFile, with the number of the record, where the JSON is broken or breaks off.
    """
    with DecompressedFile(path, FILE_LIMIT) as unpacked:
        stream = io.TextIOWrapper(io.BufferedReader(unpacked, BLOCK_SIZE), encoding="utf-8-sig")
        number = 0
        try:
            for number, member in enumerate(_read_members(_JsonCursor(stream)), 1):  # noqa: B007 (messages need it)
                unpacked.renew_allowance()
                yield member
        except UnicodeDecodeError as error:
            reason = f"record {number + 1}: it is not UTF-8 text (byte {error.object[error.start]:#04x})"
            raise UnreadableFile(path, reason, "Save it as UTF-8.") from error
        except (ValueError, RecursionError) as error:
            raise UnreadableFile(path, f"record {number + 1}: it is no JSON ({error})", REMEDY) from error


def _read_members(cursor: _JsonCursor) -> Iterator[tuple[str, Any]]:
    is_array = cursor.take("[")
    if not is_array and not cursor.take("{"):
        raise ValueError("there is neither an object nor an array")
    closing, number, keys = "]" if is_array else "}", 0, set[str]()
    while not cursor.take(closing):
        if number and not cursor.take(","):
            raise ValueError("a comma or the end is missing")
        number += 1
        key = str(number) if is_array else cursor.read_value()
        if not is_array and (not isinstance(key, str) or not cursor.take(":")):
            raise ValueError("a key with a colon behind it is missing")
        value = cursor.read_value()
        if cursor.repeated:
            value = BadRow(f"it has “{cursor.repeated[0]}” twice")
        elif key in keys:
            value = BadRow(f"the key “{key}” stood there already")
        keys.add(key)
        yield key, value
    if cursor.peek():
        raise ValueError("something stands behind its end")
