"""Count the pages of which a number, a unit or a sign of comparison changes between a program that prints and a reader.

`python -m benchmarks.printed_pages --pages 300` makes pages of medical text from a seed, has Chromium, LibreOffice and
pandoc write them in each format, and reads the files. It takes minutes, and is for the night.
"""

import argparse
import csv
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from wellsourced.errors import WellsourcedError
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

DRUGS = [
    "amoxicillin", "colchicine", "digoxin", "enoxaparin", "fentanyl", "gentamicin", "heparin", "insulin",
    "metformin", "warfarin",
]  # fmt: skip
SIGNS = [
    "fever", "potassium", "lactate", "pulse", "eGFR", "sodium", "urate", "haemoglobin", "pH", "bilirubin",
    "creatinine",
]  # fmt: skip
UNITS = [
    "mg/kg/day", "mg/kg", "mg/dL", "mg/L", "mg", "μg/kg/min", "μg", "mmol/L", "mmol", "mL/min", "mL/h", "mL",
    "g/dL", "g/L", "mmHg", "kg/m^2", "kg", "m^2", "cm^3/min", "cm", "IU/L", "units/kg", "units", "g", "L", "%", "°C",
    "hours", "days", "weeks", "years", "minutes",
]  # fmt: skip
HEADS = ["Adults", "Children", "Renal failure", "Above 75 years", "Maximum", "Interval"]
COMPARED = "≥≤<>±≈="
SLOTS: Mapping[str, Sequence[str]] = {
    "drug": DRUGS,
    "sign": SIGNS,
    "unit": UNITS,
    "compared": "≥≤<>",
    "number": ["{1-99}", "{1-40}.{1-9}", "0.{10-99}", "{1-9},{100-999}", "{100-2500}"],
    "amount": ["{number} {unit}"],
    "cell": ["{amount}", "{compared} {amount}", "{amount} at once", "none"],
    "sentence": [
        "Give {drug} {amount} every {2-24} hours when {sign} is {compared} {amount}.",
        "The count was {number} × 10^{3-12}/L and the area {number} m^2.",
        "Mean {sign} was {number} ± {number} and changed by −{amount}.",
        "In {number}^{1-40} of {50-900} patients {sign} rose (P<0.0{1-9}).",
        "The dose of {drug} is {1-20}–{21-60} {unit} over {5-60} minutes.",
        "Blood pressure was {90-180}/{40-110} mmHg at {10-23}:{10-59}.",
        "Keep SpO_2 above {85-98} % and give vitamin D_3 {amount}; the titre was 10^−{2-9}.",
        "With {sign} below {amount}, halve {drug} to {amount} (hazard ratio {number}, 95 % CI {number} to {number}).",
        "Low-dose {drug} ({amount}) is as good as high-dose {drug} in IL-{1-18} disease.",
    ],
}
DESIGNS = [
    "",
    "body { width: 90mm }",
    "div { column-count: 2; column-gap: 8mm; text-align: justify }",
    "td, th { border: 0; padding: 2px 12px }",
    "@page { size: A5 } body { font: 9pt 'DejaVu Sans' }",
    "@page { @top-center { content: 'Ward protocol' } } body { font-size: 15pt; line-height: 1.8 }",
]
"""How Chromium prints a page; LibreOffice and pandoc know little of it."""


@dataclass(frozen=True)
class Page:
    """A page of paragraphs, a table and steps; "10^9" is raised, "D_3" lowered, as the readers write them."""

    title: str
    paragraphs: list[str]
    table: list[list[str]]
    steps: list[str]
    design: str = ""

    @property
    def words(self) -> str:
        """All its words, in the notation of the readers."""
        rows = [" | ".join(row) for row in self.table]
        steps = [f"{number}. {words}" for number, words in enumerate(self.steps, 1)]
        return "\n".join([self.title, *self.paragraphs, *rows, *steps])

    def to_html(self) -> str:
        """The page as a program may write it."""
        cells = [[_html(cell) for cell in row] for row in self.table]
        head = "".join(f"<th>{cell}</th>" for cell in cells[0])
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells[1:])
        style = "body { font: 11pt 'DejaVu Serif' } td, th { border: 1px solid; padding: 2px 6px; text-align: left } "
        style += f"table {{ border-collapse: collapse }} sup, sub {{ font-size: 65% }} {self.design}"
        head_of_page = f"<head><meta charset=utf-8><title>{self.title}</title><style>{style}</style></head>"
        paragraphs = "".join(f"<p>{_html(words)}</p>" for words in self.paragraphs)
        return (
            f"<!doctype html><html lang=en>{head_of_page}<body><h1>{self.title}</h1>"
            f"<h2>Care</h2><div>{paragraphs}</div><h2>Doses</h2>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><h2>Steps</h2>"
            f"<ol>{''.join(f'<li>{_html(words)}</li>' for words in self.steps)}</ol></body></html>"
        )

    def to_rows(self) -> list[list[str]]:
        """The page as a sheet: its table, then a sentence a row; raised and lowered digits as Unicode has them."""
        width = len(self.table[0])
        sentences = [*self.paragraphs, *(f"{number}. {words}" for number, words in enumerate(self.steps, 1))]
        rows = [*self.table, *([self.title, words, *[""] * (width - 2)] for words in sentences)]
        return [[_unicode(cell) for cell in row] for row in rows]


_RAISED = re.compile(r"\^(−?\d+(?:[,–]\d+)*)|_(\d+)")
_UP, _DOWN = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"), str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _html(words: str) -> str:
    return _RAISED.sub(lambda found: f"<sup>{found[1]}</sup>" if found[1] else f"<sub>{found[2]}</sub>", escape(words))


def _unicode(words: str) -> str:
    return _RAISED.sub(lambda found: found[1].translate(_UP) if found[1] else found[2].translate(_DOWN), words)


class _Writer:
    """Makes up pages; the same seed makes the same pages."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 (numbers of made-up pages)

    def fill(self, form: str) -> str:
        """Put made-up words and numbers into the slots of a form; "{2-24}" is a number between the two."""
        return re.sub(r"\{([a-z]+|(\d+)-(\d+))\}", self._slot, form)

    def _slot(self, found: re.Match[str]) -> str:
        if found[2]:
            return str(self.random.randint(int(found[2]), int(found[3])))
        return self.fill(self.random.choice(SLOTS[found[1]]))

    def page(self, number: int) -> Page:
        """Make up a page."""
        pick = self.random
        paragraphs = [
            " ".join(self.fill("{sentence}") for _ in range(pick.randint(1, 4))) for _ in range(pick.randint(3, 7))
        ]
        heads = pick.sample(HEADS, pick.randint(2, 4))
        rows = [[drug, *(self.fill("{cell}") for _ in heads)] for drug in pick.sample(DRUGS, pick.randint(3, 6))]
        steps = [self.fill("{sentence}") for _ in range(pick.randint(2, 5))]
        table = [["Drug", *heads], *rows]
        return Page(f"Protocol {number}", paragraphs, table, steps, pick.choice(DESIGNS))


_UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_MARK = r"[ ]?(?:\^\[?|\[)(−?\d+(?:[,–]\d+)*)\]?"
_TOKEN = re.compile(
    rf"([{COMPARED}×])?\s*(?<![\d.,])((?<![\w)\]])[−-])?(\d+(?:[.,]\d+)*)(?:{_MARK})?(?:\s*({_UNIT})(?![A-Za-z]))?"
)


def count_tokens(words: str) -> Counter[str]:
    """Count the numbers of a text, each with its sign, what is raised behind it, and its unit."""
    words = re.sub(
        r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: "^" + found[0].translate({v: chr(k) for k, v in _UP.items()}), words
    )
    words = words.translate({v: chr(k) for k, v in _DOWN.items()})
    # pandoc's Markdown: 10^9^, H~2~O.
    words = re.sub(r"~(\d+)~", r"\1", re.sub(r"\^([−\d,–]+)\^", r"^\1", words))
    words = re.sub(r"\s+", " ", words.replace("µ", "μ").replace("\u00ad", ""))
    words = re.sub(r"(?<=m)(?: ?\[|\^\[)([23])\]", r"^\1", re.sub(r"(?<=[A-Za-z])_(?=\d)", "", words))
    return Counter(" ".join(part or "·" for part in found.groups()) for found in _TOKEN.finditer(words))


@dataclass
class Outcome:
    """How the pages of one format came back: those that were not read, those with a changed number, and examples."""

    pages: int = 0
    unread: int = 0
    changed: int = 0
    tokens: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    strange: Counter[str] = field(default_factory=Counter)

    def note(self, page: Page, read: str | None) -> None:
        """Compare what was read of a page with the page: what is said again (spans, heads) is no change."""
        self.pages += 1
        source = count_tokens(page.words)
        self.tokens += source.total()
        if read is None:
            self.unread += 1
            return
        found = count_tokens(read)
        lost, strange = source - found, Counter({token: found[token] for token in found.keys() - source.keys()})
        self.lost += lost
        self.strange += strange
        self.changed += bool(lost or strange)


def run(*command: str | Path) -> None:
    """Run another program; an error of it ends the measurement."""
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=600)


def convert(files: Sequence[Path], form: str, out: Path, filters: str) -> list[Path]:
    """Convert files with LibreOffice, which leaves out what is behind the 246th file of a run."""
    profile = f"-env:UserInstallation=file://{out}/office"
    for start in range(0, len(files), 200):
        some = files[start : start + 200]
        run("soffice", profile, f"--infilter={filters}", "--headless", "--convert-to", form, "--outdir", out, *some)
    return [out / f"{file.stem}.{form}" for file in files]


Make = Callable[[Sequence[Page], Path], list[Path]]


def _write(pages: Sequence[Page], out: Path) -> list[Path]:
    files = [out / f"page{number}.html" for number in range(len(pages))]
    for file, page in zip(files, pages, strict=True):
        file.write_text(page.to_html(), encoding="utf-8")
    return files


def _chromium(pages: Sequence[Page], out: Path) -> list[Path]:
    files = _write(pages, out)
    for file in files:
        run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
            f"--print-to-pdf={file.with_suffix('.pdf')}", file)  # fmt: skip
    return [file.with_suffix(".pdf") for file in files]


def _office(form: str) -> Make:
    return lambda pages, out: convert(_write(pages, out), form, out, "HTML (StarWriter)")


def _sheets(pages: Sequence[Page], out: Path) -> list[Path]:
    files = [out / f"page{number}.csv" for number in range(len(pages))]
    for path, page in zip(files, pages, strict=True):
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(page.to_rows())
    return files


def _workbooks(pages: Sequence[Page], out: Path) -> list[Path]:
    # Comma, double quote, UTF-8, from line 1, quoted cells as text.
    return convert(_sheets(pages, out), "xlsx", out, "Text - txt - csv (StarCalc):44,34,76,1,,1033,true")


def _pandoc(form: str, ending: str) -> Make:
    def make(pages: Sequence[Page], out: Path) -> list[Path]:
        files = [(file, out / f"pandoc-{file.stem}.{ending}") for file in _write(pages, out)]
        # A record of an article without an identifier is refused.
        about = out / "about.yaml"
        about.write_text("article:\n  doi: 10.5555/page\n")
        for file, target in files:
            run("pandoc", "-s", "--metadata-file", about, "-f", "html", "-t", form, "-o", target, file)
        return [target for _, target in files]

    return make


FORMATS: Mapping[str, Make] = {
    "html": _write,
    "chromium-pdf": _chromium,
    "office-pdf": _office("pdf"),
    "office-docx": _office("docx"),
    "office-xlsx": _workbooks,
    "csv": _sheets,
    "pandoc-docx": _pandoc("docx", "docx"),
    "pandoc-epub": _pandoc("epub3", "epub"),
    "pandoc-html": _pandoc("html", "html"),
    "pandoc-gfm": _pandoc("gfm", "md"),
    "pandoc-markdown": _pandoc("markdown-smart", "md"),
    "pandoc-pptx": _pandoc("pptx", "pptx"),
    "pandoc-jats": _pandoc("jats", "nxml"),
    "pandoc-plain": _pandoc("plain", "txt"),
}
"""Who writes what. PPTX is pandoc's alone, since LibreOffice makes no slides of a text."""


def read(path: Path) -> str | None:
    """Return what the reader of a file gives, or None where it gives nothing."""
    try:
        parts = [part.text for part in reader_for(path)(path, "own") if isinstance(part, Document)]
    except WellsourcedError:
        return None
    return "\n\n".join(parts) or None


def measure(formats: Sequence[str], pages: int, seed: int) -> Iterator[tuple[str, Outcome]]:
    """Write and read as many pages in each format."""
    writer = _Writer(seed)
    made = [writer.page(number) for number in range(1, pages + 1)]
    for name in formats:
        outcome = Outcome()
        with tempfile.TemporaryDirectory() as folder:
            for page, path in zip(made, FORMATS[name](made, Path(folder)), strict=True):
                outcome.note(page, read(path))
        yield name, outcome


def main() -> None:
    """Print how many pages of each format came back with a changed number."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.printed_pages", description=__doc__)
    parser.add_argument("--pages", type=int, default=20, help="of each format (default: 20)")
    parser.add_argument("--format", nargs="+", choices=list(FORMATS), default=list(FORMATS), help="these alone")
    parser.add_argument("--seed", type=int, default=42, help="which pages are made up (default: 42)")
    parser.add_argument("--show", type=int, default=3, help="examples of each kind of change (default: 3)")
    asked = parser.parse_args()
    print("| format | pages | not read | with a changed number | numbers | lost | strange | examples |")
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    for name, outcome in measure(asked.format, asked.pages, asked.seed):
        examples = "; ".join(
            f"{kind}: " + ", ".join(token for token, _ in counts.most_common(asked.show))
            for kind, counts in (("lost", outcome.lost), ("strange", outcome.strange))
            if counts
        )
        figures = (
            outcome.pages,
            outcome.unread,
            outcome.changed,
            outcome.tokens,
            outcome.lost.total(),
            outcome.strange.total(),
        )
        print(f"| {name} | {' | '.join(map(str, figures))} | {examples} |", flush=True)


if __name__ == "__main__":
    main()
