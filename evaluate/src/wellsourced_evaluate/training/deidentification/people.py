# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Invented people, places and numbers, marked where they stand: ⟦N…⟧ a name, ⟦P…⟧ a place, ⟦X…⟧ what else identifies."""

import json
import random
from typing import Any

from wellsourced_evaluate.development_data import find_data
from wellsourced_evaluate.training.deidentification.lexicon import list_census, list_names, list_towns, locales

FORMS: dict[str, Any] = json.loads(find_data("deidentification/forms.json").read_text("utf-8"))
"""Words that are names, forms of streets and numbers, and the phrases of `compose`."""


class People:
    """Draws people and places; the same seed draws the same."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311
        self._locales = locales()
        self._towns = list_towns()

    def nick(self) -> str:
        return self.draw.choice(FORMS["nick"])

    def given(self, locale: str) -> str:
        draw, kind = self.draw, self.draw.random()
        if kind < 0.08:
            return draw.choice(FORMS["words_as_names"])
        if kind < 0.11:
            return self.nick()
        if kind < 0.14:
            return self.given(locale) + draw.choice(("-", " ")) + self.given(locale)
        return draw.choice(list_census()[0] if locale == "census" else list_names(locale)[0])

    def surname(self, locale: str) -> str:
        draw, kind = self.draw, self.draw.random()
        if kind < 0.08:
            return draw.choice(FORMS["words_as_names"])
        if kind < 0.16:
            return f"{self.surname(locale)}-{self.surname(draw.choice((locale, 'census')))}"
        if kind < 0.22:
            particle = draw.choice(FORMS["particles"])
            return particle + ("" if particle in {"Mc", "O'"} else " ") + self.surname(locale)
        if kind < 0.25:
            return self._invent()
        return draw.choice(list_census()[1][:40_000] if locale == "census" else list_names(locale)[1])

    def _invent(self) -> str:
        """A surname that nobody bears, from halves of two."""
        first, second = (self.draw.choice(list_census()[1]) for _ in range(2))
        return (first[: max(2, len(first) // 2)] + second[len(second) // 2 :]).title()

    def locale(self, *among: str) -> str:
        """A locale; one of `among` mostly, where any are named."""
        if among and self.draw.random() < 0.8:
            return self.draw.choice(among)
        return "census" if self.draw.random() < 0.4 else self.draw.choice(self._locales)

    def initial(self) -> str:
        return self.draw.choice("ABCDEFGHIJKLMNOPRSTVWYZ")

    def full(self, *among: str) -> str:
        """A name in running text: given name first."""
        draw, where = self.draw, self.locale(*among)
        given, surname = self.given(where), self.surname(where)
        return draw.choices(
            (
                f"{given} {surname}",
                f"{given} {self.initial()}. {surname}",
                f"{given} {self.initial()} {surname}",
                f"{self.initial()}. {surname}",
                f"{self.initial()} {surname}",
                f"{given} {self.given(where)} {surname}",
                f"{given} {surname} {self.surname(where)}",
                f'{given} "{self.nick()}" {surname}',
                f"{given} {surname} Jr.",
                f"{given} {surname.upper()}",
                f"{surname} {given}",
                f"{self.initial()}.{self.initial()}. {surname}",
            ),
            (50, 6, 4, 6, 3, 6, 5, 2, 1, 4, 4, 2),
        )[0]

    def listed(self, *among: str) -> str:
        """A name as records list it: surname first mostly."""
        draw, where = self.draw, self.locale(*among)
        given, surname = self.given(where), self.surname(where)
        comma = draw.choices((", ", ",", " "), (8, 1, 2))[0]
        first = draw.choices(
            (given, f"{given} {self.initial()}", f"{given} {self.given(where)}", f"{given} {self.initial()}.",
             self.initial(), f"{self.initial()} {self.initial()} ({self.nick()})", f"{given} ({self.nick()})"),
            (10, 4, 4, 2, 1, 1, 1),
        )[0]  # fmt: skip
        name = surname + comma + first
        return draw.choices((name, name.upper(), surname.upper() + comma + first, self.full(*among)), (4, 4, 3, 4))[0]

    def last(self, *among: str) -> str:
        return self.surname(self.locale(*among))

    def first(self, *among: str) -> str:
        return self.given(self.locale(*among))

    def town(self) -> str:
        draw = self.draw
        if draw.random() < 0.25:
            where = draw.choice(
                ("Upper", "Lower", "North", "South", "East", "West", "Little", "Great", "Fort", "St.", "Port")
            )
            return f"{where} {draw.choice(list_census()[1][:6_000])}"
        if draw.random() < 0.3:
            end = draw.choice(
                ("ton", "ville", "field", "wood", "ham", "bury", "ford", "dale", "burgh", " Park", " Creek", " Hill")
            )
            return draw.choice(list_census()[1][:6_000]) + end
        return draw.choice(self._towns)

    def street(self) -> str:
        """A street with or without a number, in the manner of some country."""
        draw, number = self.draw, self.draw.randint(1, 1999)
        name = draw.choice((self.last(), draw.choice(FORMS["words_as_names"]), self.first(), draw.choice(self._towns)))
        kind = draw.choice(FORMS["streets"])
        side = draw.choices(("", "N ", "S. ", "West ", "E "), (12, 1, 1, 1, 1))[0]
        english = f"{number}{draw.choices(('', 'A', 'b'), (9, 1, 1))[0]} {side}{name} {kind}"
        flat = draw.choice(("Flat", "Apt", "Unit", "Apartment", "Suite", "#", "Room", "Block"))
        where = draw.random()
        if where < 0.25:
            return english
        if where < 0.35:
            return f"{flat} {draw.randint(1, 99)}, {english}"
        if where < 0.42:
            return f"{english}{draw.choice((', ', ' '))}{flat} {draw.randint(1, 99)}{draw.choice('ABC')}"
        if where < 0.5:
            return f"{name} {kind}"
        if where < 0.55:
            return draw.choice(
                (
                    f"P.O. Box {number}",
                    f"PO Box {number}",
                    f"RR {number % 9} Box {number}",
                    f"Postfach {number}",
                    f"Posbus {number}",
                    f"Apartado {number}",
                )
            )
        if where < 0.62:
            return f"{number % 99 + 1} {name} {draw.choice(('House', 'Cottage', 'Farm', 'Court', 'Towers', 'Heights', 'Estate', 'Residences'))}"
        foreign = (
            f"{name}{draw.choice(('straße', 'str.', 'weg', 'gasse', 'platz', 'allee', 'straat', 'laan', 'gatan', 'vägen', 'gade', 'vej', 'veien'))} {number % 199}{draw.choices(('', 'a', 'b'), (5, 1, 1))[0]}",
            f"{number % 199} {draw.choice(('rue', 'avenue', 'bd', 'boulevard', 'place', 'allée', 'chemin', 'impasse'))} {draw.choice(('de ', 'du ', 'des ', 'de la ', ''))}{name}",
            f"{draw.choice(('C/', 'Calle', 'Avda.', 'Av.', 'Plaza', 'Paseo', 'Carrer', 'Via', 'Viale', 'Piazza', 'Corso', 'Rua', 'Av.', 'Travessa', 'Largo', 'ul.', 'al.', 'os.'))} {draw.choice(('', 'de ', 'del ', 'da ', 'dei '))}{name}{draw.choice((', ', ' ', ' nº ', ', n. '))}{number % 199}",
        )
        return draw.choice(foreign)

    def address(self) -> str:
        """A street, or a street and a town."""
        return self.street() + (f", {self.town()}" if self.draw.random() < 0.5 else "")

    def code(self) -> str:
        """A number of a record."""
        pattern = self.draw.choice(FORMS["codes"])
        return "".join(
            self.draw.choice("0123456789") if c == "#" else self.initial() if c == "A" else c for c in pattern
        )

    def postcode(self) -> str:
        pattern = self.draw.choice(FORMS["postcodes"])
        return "".join(
            self.draw.choice("123456789") if c == "#" else self.initial() if c == "A" else c for c in pattern
        )

    def phone(self) -> str:
        pattern = self.draw.choice(FORMS["phones"])
        return "".join(self.draw.choice("0123456789") if c == "#" else c for c in pattern)

    def date(self) -> str:
        draw = self.draw
        day, month, year = draw.randint(1, 28), draw.randint(1, 12), draw.randint(1930, 2024)
        name = ("January", "Feb", "March", "Apr", "May", "June", "Jul", "Aug", "September", "Oct", "Nov", "December")[
            month - 1
        ]
        return draw.choice(
            (f"{day}/{month}/{year}", f"{month:02}/{day:02}/{year}", f"{year}-{month:02}-{day:02}", f"{day}.{month}.{year}",
             f"{name} {day}, {year}", f"{day} {name} {year}", f"{day}/{month}", f"{day:02}-{name[:3].upper()}-{year}")
        )  # fmt: skip
