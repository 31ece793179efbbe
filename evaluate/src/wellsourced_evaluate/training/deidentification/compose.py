"""Notes for training: real medical sentences, records' headers, letters and messages, with invented people in them.

A text is written with marks (⟦N…⟧ names, ⟦P…⟧ places, ⟦X…⟧ what else identifies), made untidy as people type (small
letters, capitals, misread letters), and read again as words with labels. Its forms are those of
evaluate/data/deidentification/forms.json: phrases of records, letters and messages with slots for people (written for
training, by nobody's notes), `named`: what may stand behind a name that is nobody's, and `insertions`: where in a real
sentence of a patient a name may stand.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from wellsourced.clinical.deidentification.tagger import TaggerToken, split_words
from wellsourced_evaluate.development_data import read_rows
from wellsourced_evaluate.training.deidentification.carriers import Carrier, fill_carrier
from wellsourced_evaluate.training.deidentification.lexicon import list_census, list_foreign
from wellsourced_evaluate.training.deidentification.people import FORMS, People

MARK = re.compile(r"⟦([NPXnpx])([^⟧]*)⟧")
SLOT = re.compile(r"\{(\w+)\}")
SENTENCE = re.compile(r"(?<=[.?!]) +(?=[A-Z])")


class Labelled(NamedTuple):
    """Words of a text and the label of each."""

    words: list[TaggerToken]
    labels: list[str]


class Carriers(NamedTuple):
    """Real sentences without people."""

    vignettes: list[str]
    questions: list[str]
    abstracts: list[str]
    consumer: list[str]
    drugs: list[str]
    diseases: list[str]


def read_carriers(data: Path, brands: Path) -> Carriers:
    """Questions and every second text of the corpora: those that the training lexicon does not know."""

    def rows(name: str) -> Iterator[dict[str, str]]:
        return read_rows(data / f"{name}.jsonl.gz")

    corpora = {
        name: [row["text"][:900] for place, row in enumerate(rows(f"corpora/{name}")) if place % 2 and row["text"]]
        for name in ("research", "consumer")
    }
    asked = [
        row["question"] for name in ("kqa", "bioasq", "medmcqa", "mmlu_med", "pubmedqa") for row in rows(f"qa/{name}")
    ]
    return Carriers(
        [row["question"] for row in rows("qa/medqa")],
        asked,
        corpora["research"],
        corpora["consumer"],
        [word for line in brands.read_text("utf-8").splitlines() if line for word in line.split("\t")[:2]],
        [row["label"] for row in rows("graph/do.nodes") if len(row["label"]) < 40],
    )


class Composer:
    """Writes notes; the same seed writes the same."""

    def __init__(self, carriers: Carriers, seed: int) -> None:
        self.carriers = carriers
        self.people = People(seed)
        self.draw = self.people.draw
        self.words = list_foreign()

    def compose(self) -> Labelled:
        """One note of a random kind."""
        kinds: tuple[tuple[Callable[[], str], int], ...] = (
            (self._banner, 20),
            (self._vignette, 14),
            (self._lay, 16),
            (self._list, 7),
            (self._letter, 8),
            (self._note, 22),
            (self._foreign, 22),
            (self._question, 8),
            (self._real, 16),
            (self._bare, 22),
            (self._salad, 7),
        )
        text = self.draw.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()
        return label_words(self._untidy(text))

    def compose_from(self, carrier: Carrier) -> Labelled:
        """A hand-written text with people in it, mostly in the letters in which it was written."""
        return label_words(self._untidy(fill_carrier(carrier, self.people), 0.3))

    def fill(self, template: str, among: tuple[str, ...] = ()) -> str:
        """A template with its slots filled; `among`: locales that people are drawn from."""
        people, draw = self.people, self.draw
        person = (people.first(*among), people.last(*among))
        makers: dict[str, Callable[[], str]] = {
            "full": lambda: f"⟦N{people.full(*among)}⟧",
            "listed": lambda: f"⟦N{people.listed(*among)}⟧",
            "first": lambda: f"⟦N{people.first(*among)}⟧",
            "last": lambda: f"⟦N{people.last(*among)}⟧",
            "any": lambda: f"⟦N{draw.choice((people.full, people.last, people.first))(*among)}⟧",
            "same": lambda: f"⟦N{person[0]}⟧",
            "samelast": lambda: f"⟦N{person[1]}⟧",
            "samefull": lambda: f"⟦N{person[0]} {person[1]}⟧",
            "samelisted": lambda: f"⟦N{person[1]}, {person[0]}⟧",
            "initials": lambda: f"⟦N{people.initial()}{people.initial()}{draw.choice(('', people.initial()))}⟧",
            "town": lambda: f"⟦P{people.town()}⟧",
            "address": lambda: f"⟦P{people.address()}⟧",
            "street": lambda: f"⟦P{people.street()}⟧",
            "date": people.date,
            "code": people.code,
            "phone": people.phone,
            "n": lambda: str(draw.randint(1, 99)),
            "age": lambda: str(draw.randint(1, 89)),
            "drug": lambda: draw.choice(self.carriers.drugs),
            "brand": self._invent_brand,
            "disease": lambda: draw.choice(self.carriers.diseases),
            "eponym": self._draw_eponym,
            "sentence": self._sentence,
        }
        return SLOT.sub(lambda slot: makers[slot[1]](), template)

    def _draw_eponym(self) -> str:
        """A disease, sign, score or device that bears a name; a third of them bear one that they do not have."""
        draw = self.draw
        if draw.random() < 0.66:
            return draw.choice(FORMS["eponyms"])
        return draw.choice(list_census()[1][:30_000]) + draw.choice(FORMS["named"])

    def _invent_brand(self) -> str:
        """A trade name that nobody sells."""
        draw = self.draw
        if draw.random() < 0.3:
            return draw.choice(self.carriers.drugs)
        middle = "".join(draw.choice(FORMS["syllables"]) for _ in range(draw.randint(1, 2)))
        return (draw.choice(FORMS["syllables"]) + middle + draw.choice(FORMS["endings"])).capitalize()

    def _salad(self) -> str:
        """Words of another language in no order: frequent ones and rare ones, none of them names."""
        draw = self.draw
        language = draw.choice(list(self.words))
        frequent, rare = self.words[language]
        text = ""
        for _ in range(draw.randint(4, 14)):
            size = draw.randint(3, 12)
            words = [draw.choice(frequent if draw.random() < 0.6 else rare) for _ in range(size)]
            if language == "de" or draw.random() < 0.15:
                words = [word.capitalize() if len(word) > 4 and draw.random() < 0.5 else word for word in words]
            words[0] = words[0].capitalize()
            words = [
                word
                + draw.choices(("", ",", f" {draw.randint(1, 400)}", " (" + draw.choice(rare) + ")"), (12, 2, 1, 1))[0]
                for word in words
            ]
            text += " ".join(words) + draw.choice((". ", ". ", ": ", "\n", ", "))
        return text

    def _sentence(self) -> str:
        sentences = SENTENCE.split(self.draw.choice(self.carriers.vignettes))
        return self.draw.choice(sentences[:-1] or sentences)

    def _banner(self) -> str:
        draw = self.draw
        between = draw.choice(("\n", "    ", " | ", "\t", ", ", "  ", " ", "; "))
        sign = draw.choice((": ", ": ", " : ", ":", " ", "\t", " = ", ":\t"))
        fields = [
            draw.choice(FORMS["name_labels"])
            + sign
            + self.fill(draw.choice(("{listed}", "{listed}", "{full}", "{last}")))
        ]
        for _ in range(draw.randint(2, 8)):
            kind = draw.random()
            if kind < 0.25:
                label = draw.choice(FORMS["staff_labels"])
                fields.append(
                    label + sign + self.fill(draw.choice(("{full}", "{last}", "{listed}", "{first}", "{initials}")))
                )
            elif kind < 0.4:
                fields.append(draw.choice(FORMS["place_labels"]) + sign + self.fill("{address}"))
            else:
                label, value = draw.choice(FORMS["fields"])
                fields.append(label + sign + self.fill(value))
        if draw.random() < 0.5:
            draw.shuffle(fields)
        text = ""
        for field in fields:
            text += field + (between if draw.random() < 0.7 else "\n")
        head = draw.choice(FORMS["headings"]) + "\n" if draw.random() < 0.5 else ""
        return head + text + "\n" + " ".join(self._sentence() for _ in range(draw.randint(0, 3)))

    def _vignette(self) -> str:
        text = self.draw.choice(self.carriers.vignettes)
        for pattern, forms in FORMS["insertions"]:
            if self.draw.random() < 0.55:
                form = self.draw.choice(forms)
                text = re.sub(pattern, lambda found, form=form: found.expand(self.fill(form)), text, count=1)
        return text

    def _lay(self) -> str:
        draw = self.draw
        parts = [self.fill(draw.choice(FORMS["lay"])) for _ in range(draw.randint(1, 4))]
        parts.insert(draw.randrange(len(parts) + 1), draw.choice(self.carriers.questions)[:300])
        return draw.choice((" ", " ", "\n")).join(parts)

    def _list(self) -> str:
        lines = [self.fill(self.draw.choice(FORMS["lists"])) for _ in range(self.draw.randint(3, 7))]
        return "\n".join(lines)

    def _letter(self) -> str:
        fill, draw = self.fill, self.draw
        head = fill(draw.choice(("{full}\n{address}\n", "{street}\n{town}\n", "{address}\nTel {phone}\n", ""))) + fill(
            "{date}\n"
        )
        about = fill(draw.choice(FORMS["about"]))
        about += fill(draw.choice(("\n{address}\n", ", {address}\n", "\n")))
        dear = fill(draw.choice(FORMS["dear"]))
        body = " ".join(
            fill(draw.choice(FORMS["notes"])) if draw.random() < 0.5 else self._sentence()
            for _ in range(draw.randint(2, 5))
        )
        end = draw.choice(FORMS["ends"])
        sign = fill(
            draw.choice(
                ("\n{full}\n", "\nDr {full}\n", ",\n{first}\n", ",\n\n{full}, MD\n", ",\n{initials}\n", " {first}\n")
            )
        )
        copy = fill(draw.choice(("cc: {full}, {full}\n", "cc Dr {last}; {full}\n", "CC: {full}, MD\n", "", "")))
        return head + about + dear + body + "\n" + end + sign + copy

    def _note(self) -> str:
        draw = self.draw
        parts = []
        for _ in range(draw.randint(3, 8)):
            parts.append(self.fill(draw.choice(FORMS["notes"])) if draw.random() < 0.62 else self._sentence())
            if draw.random() < 0.3:
                parts.append(self.fill(draw.choice(FORMS["bare"])))
        return draw.choice((" ", " ", "\n")).join(parts)

    def _foreign(self) -> str:
        draw = self.draw
        one = draw.choice(FORMS["foreign"])
        among, phrases = tuple(one["locales"]), one["phrases"]
        parts = [self.fill(phrase, among) for phrase in draw.sample(phrases, min(len(phrases), draw.randint(3, 9)))]
        for _ in range(draw.randint(0, 2)):
            parts.insert(draw.randrange(len(parts)), self._salad()[:120].rsplit(" ", 1)[0])
        return draw.choice(("\n", " ", " ", "  ")).join(parts)

    def _question(self) -> str:
        return self.draw.choice(self.carriers.questions)

    def _real(self) -> str:
        return self.draw.choice(
            self.draw.choice((self.carriers.abstracts, self.carriers.consumer, self.carriers.vignettes))
        )

    def _bare(self) -> str:
        lines = [self.fill(self.draw.choice(FORMS["bare"])) for _ in range(self.draw.randint(2, 8))]
        return self.draw.choice(("\n", " ")).join(lines)

    def _untidy(self, text: str, share: float = 1.0) -> str:
        """`share`: of the texts that may be made untidy."""
        if self.draw.random() >= share:
            return text
        kind = self.draw.random()
        if self.draw.random() < 0.3:
            lines = text.split("\n")
            text = "\n".join(_raise_line(line) if self.draw.random() < 0.25 else line for line in lines)
        if kind < 0.17:
            return text.lower()
        if kind < 0.3:
            return MARK.sub(lambda mark: f"⟦{mark[1]}{mark[2].upper()}⟧", re.sub(r"[^⟦⟧]+", _raise, text))
        if kind < 0.36:
            return MARK.sub(lambda mark: f"⟦{mark[1]}{mark[2].lower()}⟧", text)
        if kind < 0.4:
            return re.sub(
                r"(?<=[a-zA-Z])[lIo](?=[a-zA-Z])",
                lambda c: self.draw.choice(({"l": "I", "I": "l", "o": "0"}[c[0]], c[0])),
                text,
            )
        if kind < 0.46:
            return re.sub(
                r"\b([a-z]{3})([a-z])([a-z])(?=[a-z]{2})",
                lambda c: c[1] + c[3] + c[2] if self.draw.random() < 0.06 else c[0],
                text,
            )
        return text


def _raise_line(line: str) -> str:
    return (
        MARK.sub(lambda mark: f"⟦{mark[1]}{mark[2].upper()}⟧", re.sub(r"[^⟦⟧]+", _raise, line))
        if len(line) < 120
        else line
    )


def _raise(found: re.Match[str]) -> str:
    return found[0].upper()


def strip_marks(text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A text without its marks, and what they marked: (start, end, N, P or X)."""
    plain, spans, end = "", [], 0
    for mark in MARK.finditer(text):
        plain += text[end : mark.start()]
        spans.append((len(plain), len(plain) + len(mark[2]), mark[1].upper()))
        plain, end = plain + mark[2], mark.end()
    return plain + text[end:], spans


def label_words(text: str) -> Labelled:
    """The words of a text with marks, and their labels."""
    plain, spans = strip_marks(text)
    words = split_words(plain)
    labels = ["O"] * len(words)
    for start, stop, mark in spans:
        if mark == "X":
            continue
        kind = "NAME" if mark == "N" else "PLACE"
        inside = [at for at, word in enumerate(words) if start <= word.start and word.end <= stop]
        for at in inside:
            labels[at] = ("B-" if at == inside[0] else "I-") + kind
    return Labelled(words, labels)
