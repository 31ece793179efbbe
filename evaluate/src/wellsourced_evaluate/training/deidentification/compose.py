"""Notes for training: invented people in real medical sentences, in records' headers, letters and messages.

A text is written with marks (⟦N…⟧ names, ⟦P…⟧ places, ⟦X…⟧ what else identifies), made untidy as people type (small
letters, capitals, misread letters), and read again as words with labels. Its forms are those of
evaluate/data/deidentification/forms.json: phrases of records, letters and messages with slots for people (written for
training, by nobody's notes), `named`: what may stand behind a name that is nobody's, `insertions`: where in a real
sentence of a patient a name may stand. There "[a|b]" is one of several, "[3:a|1:b]" by weight, "[1-9]" a number.

The same seed writes the same: every form is filled before one is chosen, in the order of the file, so that the notes
are those that the shipped weights were fitted on.
"""

import json
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.clinical.deidentification.tagger import TaggerToken, split_words
from wellsourced_evaluate.development_data import find_data, read_rows
from wellsourced_evaluate.training.deidentification.lexicon import (
    LANGUAGES,
    LATIN,
    list_census,
    list_foreign,
    list_locales,
    list_names,
    list_towns,
)

FORMS: dict[str, Any] = json.loads(find_data("deidentification/forms.json").read_text("utf-8"))
_MARK = re.compile(r"⟦([NPXnpx])([^⟧]*)⟧")
_SLOT = re.compile(r"\{(\w+)\}")
_CARRIER_SLOT = re.compile(r"\{([A-Za-z_]+?(?:90)?)(\^?)_?(\d*)(\^?)\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SENTENCE = re.compile(r"(?<=[.?!]) +(?=[A-Z])")

KINDS = {"N": "NAME", "P": "PLACE"}
"""Mark → the label of words."""

Make = Callable[[], str]


# --- people ----------------------------------------------------------------------------------------------------------


def mark(kind: str, words: str) -> str:
    """Words that identify: N a name, P a place, X something else."""
    return f"⟦{kind}{words}⟧"


def find_share(forms: str, drawn: float) -> str:
    """The form of a list of (share up to which it is taken, form) for a number that was drawn from 0 to 1."""
    return next(form for share, form in FORMS[forms] if drawn < share)


def fill_form(form: str, makers: Mapping[str, Make]) -> str:
    """A form with what is made for each of its slots, from left to right."""
    return _SLOT.sub(lambda slot: makers[slot[1]](), form)


class People:
    """Draws invented people, places and numbers; the same seed draws the same."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311

    def pick(self, name: str) -> Any:
        """One of a list of forms."""
        return self.draw.choice(FORMS[name])

    def weigh(self, rows: Collection[tuple[str, int]]) -> str:
        """One of several, by weight."""
        return self.draw.choices([text for text, _ in rows], [weight for _, weight in rows])[0]

    def vary(self, form: str) -> str:
        """A form with one of what it offers in each place, the inner places first."""

        def choose(place: re.Match[str]) -> str:
            if numbers := re.fullmatch(r"(\d+)-(\d+)", place[1]):
                return str(self.draw.randint(int(numbers[1]), int(numbers[2])))
            options = place[1].split("|")
            if re.match(r"\d+:", options[0]):
                weighed = [option.split(":", 1) for option in options]
                return self.weigh([(text, int(weight)) for weight, text in weighed])
            return self.draw.choice(options)

        while _CHOICE.search(form):
            form = _CHOICE.sub(choose, form)
        return form

    def locale(self, *among: str) -> str:
        """A locale; one of `among` mostly, where any are named."""
        if among and self.draw.random() < 0.8:
            return self.draw.choice(among)
        return "census" if self.draw.random() < 0.4 else self.draw.choice(list_locales())

    def initial(self) -> str:
        return self.draw.choice("ABCDEFGHIJKLMNOPRSTVWYZ")

    def given(self, where: str) -> str:
        """A given name, or a word, a short form or two names for one."""
        kind, names = self.draw.random(), list_census()[0] if where == "census" else list_names(where)[0]
        return self._fill_name(find_share("given_names", kind), where, own=lambda: self.draw.choice(names))

    def surname(self, where: str) -> str:
        """A surname, or a word, two names or a name with a particle for one, or one that nobody bears."""
        kind, names = self.draw.random(), list_census()[1][:40_000] if where == "census" else list_names(where)[1]
        return self._fill_name(find_share("surnames", kind), where, own=lambda: self.draw.choice(names))

    def first(self, *among: str) -> str:
        return self.given(self.locale(*among))

    def last(self, *among: str) -> str:
        return self.surname(self.locale(*among))

    def full(self, *among: str) -> str:
        """A name in running text: given name first."""
        where = self.locale(*among)
        return self._weigh_names("names_in_text", self.given(where), self.surname(where), where)

    def listed(self, *among: str) -> str:
        """A name as records list it: surname first mostly."""
        where = self.locale(*among)
        given, surname = self.given(where), self.surname(where)
        comma = self.draw.choices((", ", ",", " "), (8, 1, 2))[0]
        first = self._weigh_names("names_behind_surnames", given, surname, where)
        name = surname + comma + first
        return self.weigh([(name, 4), (name.upper(), 4), (surname.upper() + comma + first, 3), (self.full(*among), 4)])

    def _weigh_names(self, forms: str, given: str, surname: str, where: str) -> str:
        named = {"given": lambda: given, "surname": lambda: surname, "raised": surname.upper}
        return self.weigh([(self._fill_name(form, where, **named), weight) for form, weight in FORMS[forms]])

    def _fill_name(self, form: str, where: str, **named: Make) -> str:
        makers: dict[str, Make] = {
            "initial": self.initial,
            "word": lambda: self.pick("words_as_names"),
            "nick": lambda: self.pick("nick"),
            "particle": lambda: self.pick("particles"),
            "joint": lambda: self.draw.choice("- "),
            "another": lambda: self.given(where),
            "second": lambda: self.surname(where),
            "third": lambda: self.surname(self.draw.choice((where, "census"))),
            "invented": self._invent_surname,
            **named,
        }
        return fill_form(form, makers)

    def _invent_surname(self) -> str:
        """From halves of two."""
        first, second = (self.draw.choice(list_census()[1]) for _ in range(2))
        return (first[: max(2, len(first) // 2)] + second[len(second) // 2 :]).title()

    def town(self) -> str:
        """A town, real or made of a surname."""
        draw = self.draw
        if draw.random() < 0.25:
            where = self.pick("before_towns")
            return f"{where} {draw.choice(list_census()[1][:6_000])}"
        if draw.random() < 0.3:
            end = self.pick("behind_towns")
            return draw.choice(list_census()[1][:6_000]) + end
        return draw.choice(list_towns())

    def street(self) -> str:
        """A street with or without a number, in the manner of some country."""
        draw, number = self.draw, self.draw.randint(1, 1999)
        name = draw.choice((self.last(), self.pick("words_as_names"), self.first(), draw.choice(list_towns())))
        kind, side = self.pick("streets"), self.weigh(FORMS["sides"])
        english = f"{number}{self.vary('[9:|1:A|1:b]')} {side}{name} {kind}"
        flat, form = self.pick("flats"), find_share("addresses", draw.random())
        numbers = {"number": number, "digit": number % 9, "house": number % 99 + 1, "short": number % 199}
        return self.vary(form).format(english=english, flat=flat, name=name, kind=kind, **numbers)

    def number(self, forms: str, digits: str = "0123456789") -> str:
        """A number of a record ("codes"), a telephone or a postcode, as forms have it: # a digit, A a letter."""
        return "".join(
            self.draw.choice(digits) if sign == "#" else self.initial() if sign == "A" else sign
            for sign in self.pick(forms)
        )

    def code(self) -> str:
        """A number of a record."""
        return self.number("codes")

    def date(self) -> str:
        """A date, in the manner of some country."""
        draw = self.draw
        day, month, year = draw.randint(1, 28), draw.randint(1, 12), draw.randint(1930, 2024)
        name = FORMS["months"][month - 1]
        return self.pick("dates").format(day=day, month=month, year=year, name=name, short=name[:3].upper())


# --- hand-written texts ----------------------------------------------------------------------------------------------


class Carrier(NamedTuple):
    """A text with slots, or with marks ("⟪name|words⟫"), and the language that its people speak.

    A slot is "{KIND}" with an optional number (the same number is the same person) and an optional "^" (all capitals);
    in small letters it is filled in small letters. What stands outside of slots identifies nobody.
    """

    id: str
    language: str
    text: str


def read_slotted() -> list[Carrier]:
    """The texts with slots."""
    rows = read_rows(find_data("deidentification/carriers.jsonl"))
    return [Carrier(str(row.get("id", at)), row.get("language", "en"), row["text"]) for at, row in enumerate(rows)]


def read_marked(path: Path) -> list[Carrier]:
    """The notes of a file of JSON lines, their marks kept as "⟪kind|words⟫"; institutions are left as they are."""
    found = []
    for row in read_rows(path):
        text, end = "", 0
        for one in sorted(row["identifiers"], key=lambda one: one["start"]):
            if one["kind"] == "institution" or one["start"] < end:
                continue
            words = row["text"][one["start"] : one["end"]]
            text += row["text"][end : one["start"]] + f"⟪{one['kind']}|{words}⟫"
            end = one["end"]
        found.append(Carrier(row["id"], row["language"], text + row["text"][end:]))
    return found


OF_PERSONS = {
    "NAME": ("N", "{given} {surname}"),
    "GIVEN": ("N", "{given}"),
    "SURNAME": ("N", "{surname}"),
    "SURNAME_FIRST": ("N", "{surname}, {given}"),
    "INITIALS": ("N", "{initials}"),
    "EMAIL": ("X", "{mail}@mail.example"),
    "URL": ("X", "www.{site}.example"),
}
"""Slot → the kind of its mark, and what of a person stands there."""


def fill_slots(carrier: Carrier, people: People) -> str:
    """The text with invented people in its slots. Exits on a slot that nobody knows."""
    known: dict[str, tuple[str, str]] = {}
    others: dict[str, tuple[str, Make]] = {
        "TOWN": ("P", people.town),
        "STREET": ("P", people.street),
        "POSTCODE": ("X", lambda: people.number("postcodes", "123456789")),
        "PHONE": ("X", lambda: people.number("phones")),
        "DATE": ("X", people.date),
        "AGE90": ("X", lambda: str(people.draw.randint(90, 104))),
        **dict.fromkeys(("RECORD", "ACCOUNT", "SSN", "DEVICE"), ("X", people.code)),
    }

    def describe_person(number: str) -> dict[str, str]:
        if number not in known:
            where = people.locale(*FORMS["locales"].get(carrier.language[:2], ()))
            known[number] = people.given(where), people.surname(where)
        given, surname = known[number]
        return {
            "given": given,
            "surname": surname,
            "initials": (given[0] + surname[0]).upper(),
            "mail": f"{given}.{surname}".replace(" ", "").lower(),
            "site": surname.replace(" ", "").lower(),
        }

    def fill(slot: re.Match[str]) -> str:
        name = slot[1].upper()
        if name in OF_PERSONS:
            kind, form = OF_PERSONS[name]
            words = form.format(**describe_person(slot[3]))
        elif name in others:
            kind, make = others[name]
            words = make()
        else:
            raise SystemExit(f"{carrier.id}: no such slot: {slot.group()}")
        is_raised = slot[2] or slot[4]
        return mark(kind, words.lower() if slot[1].islower() else words.upper() if is_raised else words)

    return _CARRIER_SLOT.sub(fill, carrier.text)


def fill_marks(carrier: Carrier, people: People) -> str:
    """The note with other people in place of the marked ones: each word of a name by one written alike."""
    where = people.locale(*FORMS["locales"].get(carrier.language[:2], ()))
    known: dict[str, str] = {}

    def swap(word: str, other: str) -> str:
        other = known.setdefault(word.lower(), other)
        return other.upper() if word.isupper() else other.lower() if word.islower() else other

    def replace_name(found: re.Match[str]) -> str:
        word = found.group()
        if len(word) == 1:
            return people.initial() if word.isupper() else people.initial().lower()
        if word.lower() in FORMS["words_of_names"]:
            return word
        name = people.draw.choice((people.given, people.surname))(where)
        return swap(word, re.split(r"[ -]", name)[-1].capitalize() if people.draw.random() < 0.8 else name)

    def replace_place(found: re.Match[str]) -> str:
        word = found.group()
        if len(word) == 1 or word.lower() in FORMS["words_of_addresses"]:
            return word
        return swap(word, people.draw.choice((people.town, people.last))().split()[-1])

    def fill(found: re.Match[str]) -> str:
        kind, words = found[1], found[2]
        if kind == "name":
            return mark("N", LATIN.sub(replace_name, words))
        digits = re.sub(r"\d", lambda _: people.draw.choice("123456789"), words)
        if kind == "address":
            return mark("P", LATIN.sub(replace_place, digits))
        return mark("X", words if kind in {"date", "age"} else digits)

    return re.sub(r"⟪(\w+)\|([^⟫]*)⟫", fill, carrier.text)


# --- notes -----------------------------------------------------------------------------------------------------------


class Labelled(NamedTuple):
    """Words of a text and the label of each."""

    words: list[TaggerToken]
    labels: list[str]


class RealTexts(NamedTuple):
    """Real sentences without people, drugs with their brands, diseases."""

    vignettes: list[str]
    questions: list[str]
    abstracts: list[str]
    consumer: list[str]
    drugs: list[str]
    diseases: list[str]


def read_texts(data: Path, brands: Path) -> RealTexts:
    """Questions and every second text of the corpora: those that the training lexicon does not know."""

    def read(name: str) -> Iterator[dict[str, str]]:
        return read_rows(data / f"{name}.jsonl.gz")

    research, consumer = (
        [row["text"][:900] for place, row in enumerate(read(f"corpora/{name}")) if place % 2 and row["text"]]
        for name in ("research", "consumer")
    )
    return RealTexts(
        [row["question"] for row in read("qa/medqa")],
        [
            row["question"]
            for name in ("kqa", "bioasq", "medmcqa", "mmlu_med", "pubmedqa")
            for row in read(f"qa/{name}")
        ],
        research,
        consumer,
        [word for line in brands.read_text("utf-8").splitlines() if line for word in line.split("\t")[:2]],
        [row["label"] for row in read("graph/do.nodes") if len(row["label"]) < 40],
    )


class Composer(People):
    """Writes notes; the same seed writes the same."""

    def __init__(self, texts: RealTexts, seed: int) -> None:
        super().__init__(seed)
        self.texts = texts

    def compose(self) -> Labelled:
        """One note of a random kind."""
        kinds: dict[Make, int] = {
            self._banner: 20,
            self._vignette: 14,
            self._lay: 16,
            self._list: 7,
            self._letter: 8,
            self._note: 22,
            self._foreign: 22,
            lambda: self.draw.choice(self.texts.questions): 8,
            lambda: self.draw.choice(
                self.draw.choice((self.texts.abstracts, self.texts.consumer, self.texts.vignettes))
            ): 16,
            self._bare: 22,
            self._salad: 7,
        }
        (make,) = self.draw.choices(list(kinds), list(kinds.values()))
        return label_words(self._untidy(make()))

    def compose_from(self, carrier: Carrier) -> Labelled:
        """A hand-written text with people in it, mostly in the letters in which it was written."""
        fill = fill_marks if "⟪" in carrier.text else fill_slots
        return label_words(self._untidy(fill(carrier, self), 0.3))

    # --- parts of notes ---

    def fill(self, template: str, among: Sequence[str] = ()) -> str:
        """A template with its slots filled; `among`: locales that people are drawn from."""
        given, surname = self.first(*among), self.last(*among)
        makers: dict[str, Make] = {
            "same": lambda: mark("N", given),
            "samelast": lambda: mark("N", surname),
            "samefull": lambda: mark("N", f"{given} {surname}"),
            "samelisted": lambda: mark("N", f"{surname}, {given}"),
            "full": lambda: mark("N", self.full(*among)),
            "listed": lambda: mark("N", self.listed(*among)),
            "first": lambda: mark("N", self.first(*among)),
            "last": lambda: mark("N", self.last(*among)),
            "any": lambda: mark("N", self.draw.choice((self.full, self.last, self.first))(*among)),
            "initials": lambda: mark("N", self.initial() + self.initial() + self.draw.choice(("", self.initial()))),
            "town": lambda: mark("P", self.town()),
            "address": lambda: mark("P", self.street() + (f", {self.town()}" if self.draw.random() < 0.5 else "")),
            "street": lambda: mark("P", self.street()),
            "date": self.date,
            "code": self.code,
            "phone": lambda: self.number("phones"),
            "n": lambda: str(self.draw.randint(1, 99)),
            "age": lambda: str(self.draw.randint(1, 89)),
            "drug": lambda: self.draw.choice(self.texts.drugs),
            "brand": self._invent_brand,
            "disease": lambda: self.draw.choice(self.texts.diseases),
            "eponym": self._draw_eponym,
            "sentence": self._sentence,
        }
        return fill_form(template, makers)

    def fill_one(self, forms: str) -> str:
        """One of a list of templates, filled."""
        return self.fill(self.pick(forms))

    def _draw_eponym(self) -> str:
        """A disease, sign, score or device that bears a name; a third of them bear one that they do not have."""
        if self.draw.random() < 0.66:
            return self.pick("eponyms")
        return self.draw.choice(list_census()[1][:30_000]) + self.pick("named")

    def _invent_brand(self) -> str:
        """A trade name that nobody sells."""
        if self.draw.random() < 0.3:
            return self.draw.choice(self.texts.drugs)
        middle = "".join(self.pick("syllables") for _ in range(self.draw.randint(1, 2)))
        return (self.pick("syllables") + middle + self.pick("endings")).capitalize()

    def _sentence(self) -> str:
        sentences = _SENTENCE.split(self.draw.choice(self.texts.vignettes))
        return self.draw.choice(sentences[:-1] or sentences)

    # --- kinds of notes ---

    def _banner(self) -> str:
        """A record's header."""
        draw = self.draw
        between, sign = self.pick("between_fields"), self.pick("behind_labels")
        fields = [self.pick("name_labels") + sign + self.fill_one("named_in_fields")]
        for _ in range(draw.randint(2, 8)):
            kind = draw.random()
            if kind < 0.25:
                fields.append(self.pick("staff_labels") + sign + self.fill_one("staff_in_fields"))
            elif kind < 0.4:
                fields.append(self.pick("place_labels") + sign + self.fill("{address}"))
            else:
                label, value = self.pick("fields")
                fields.append(label + sign + self.fill(value))
        if draw.random() < 0.5:
            draw.shuffle(fields)
        text = "".join(field + (between if draw.random() < 0.7 else "\n") for field in fields)
        head = self.pick("headings") + "\n" if draw.random() < 0.5 else ""
        return head + text + "\n" + " ".join(self._sentence() for _ in range(draw.randint(0, 3)))

    def _vignette(self) -> str:
        text = self.draw.choice(self.texts.vignettes)
        for pattern, forms in FORMS["insertions"]:
            if self.draw.random() < 0.55:
                form = self.draw.choice(forms)
                text = re.sub(pattern, lambda found, form=form: found.expand(self.fill(form)), text, count=1)
        return text

    def _lay(self) -> str:
        """A message of a patient."""
        draw = self.draw
        parts = [self.fill_one("lay") for _ in range(draw.randint(1, 4))]
        parts.insert(draw.randrange(len(parts) + 1), draw.choice(self.texts.questions)[:300])
        return draw.choice((" ", " ", "\n")).join(parts)

    def _list(self) -> str:
        """A list at handover."""
        return "\n".join(self.fill_one("lists") for _ in range(self.draw.randint(3, 7)))

    def _letter(self) -> str:
        head = self.fill_one("letter_heads") + self.fill("{date}\n")
        about = self.fill_one("about") + self.fill_one("behind_about")
        dear = self.fill_one("dear")
        body = " ".join(
            self.fill_one("notes") if self.draw.random() < 0.5 else self._sentence()
            for _ in range(self.draw.randint(2, 5))
        )
        end = self.pick("ends") + self.fill_one("signatures") + self.fill_one("copies")
        return head + about + dear + body + "\n" + end

    def _note(self) -> str:
        draw = self.draw
        parts = []
        for _ in range(draw.randint(3, 8)):
            parts.append(self.fill_one("notes") if draw.random() < 0.62 else self._sentence())
            if draw.random() < 0.3:
                parts.append(self.fill_one("bare"))
        return draw.choice((" ", " ", "\n")).join(parts)

    def _foreign(self) -> str:
        draw = self.draw
        one = self.pick("foreign")
        phrases = draw.sample(one["phrases"], min(len(one["phrases"]), draw.randint(3, 9)))
        parts = [self.fill(phrase, one["locales"]) for phrase in phrases]
        for _ in range(draw.randint(0, 2)):
            parts.insert(draw.randrange(len(parts)), self._salad()[:120].rsplit(" ", 1)[0])
        return draw.choice(("\n", " ", " ", "  ")).join(parts)

    def _bare(self) -> str:
        """Lines that are full of words like names, and have few."""
        lines = [self.fill_one("bare") for _ in range(self.draw.randint(2, 8))]
        return self.draw.choice(("\n", " ")).join(lines)

    def _salad(self) -> str:
        """Words of another language in no order: frequent ones and rare ones, none of them names."""
        draw = self.draw
        language = draw.choice(LANGUAGES)
        frequent, rare = list_foreign()[language]
        text = ""
        for _ in range(draw.randint(4, 14)):
            size = draw.randint(3, 12)
            words = [draw.choice(frequent if draw.random() < 0.6 else rare) for _ in range(size)]
            if language == "de" or draw.random() < 0.15:
                words = [word.capitalize() if len(word) > 4 and draw.random() < 0.5 else word for word in words]
            words[0] = words[0].capitalize()
            for place, word in enumerate(words):
                behind = (("", 12), (",", 2), (f" {draw.randint(1, 400)}", 1), (f" ({draw.choice(rare)})", 1))
                words[place] = word + self.weigh(behind)
            text += " ".join(words) + draw.choice((". ", ". ", ": ", "\n", ", "))
        return text

    # --- letters ---

    def _untidy(self, text: str, share: float = 1.0) -> str:
        """A text as people type it; `share`: of the texts that may be made untidy."""
        draw = self.draw
        if draw.random() >= share:
            return text
        kind = draw.random()
        if draw.random() < 0.3:
            lines = text.split("\n")
            text = "\n".join(raise_text(line) if draw.random() < 0.25 and len(line) < 120 else line for line in lines)
        if kind < 0.17:
            return text.lower()
        if kind < 0.3:
            return raise_text(text)
        if kind < 0.36:
            return _MARK.sub(lambda found: mark(found[1], found[2].lower()), text)
        if kind < 0.4:
            misread = {"l": "I", "I": "l", "o": "0"}
            return re.sub(r"(?<=[a-zA-Z])[lIo](?=[a-zA-Z])", lambda c: draw.choice((misread[c[0]], c[0])), text)
        if kind < 0.46:
            return re.sub(
                r"\b([a-z]{3})([a-z])([a-z])(?=[a-z]{2})",
                lambda c: c[1] + c[3] + c[2] if draw.random() < 0.06 else c[0],
                text,
            )
        return text


def raise_text(text: str) -> str:
    """A text in capitals; the kinds of its marks stay."""
    raised = re.sub(r"[^⟦⟧]+", lambda found: found[0].upper(), text)
    return _MARK.sub(lambda found: mark(found[1], found[2].upper()), raised)


def strip_marks(text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A text without its marks, and what they marked: (start, end, N, P or X)."""
    plain, spans, end = "", [], 0
    for found in _MARK.finditer(text):
        plain += text[end : found.start()]
        spans.append((len(plain), len(plain) + len(found[2]), found[1].upper()))
        plain, end = plain + found[2], found.end()
    return plain + text[end:], spans


def label_words(text: str) -> Labelled:
    """The words of a text with marks, and their labels."""
    plain, spans = strip_marks(text)
    words = split_words(plain)
    labels = ["O"] * len(words)
    for start, stop, kind in spans:
        if kind in KINDS:
            inside = [at for at, word in enumerate(words) if start <= word.start and word.end <= stop]
            for at in inside:
                labels[at] = ("B-" if at == inside[0] else "I-") + KINDS[kind]
    return Labelled(words, labels)
