"""Words that are names of people, and names in medicine that are not of a patient (`names.tsv`)."""

from wellsourced.text.tables import read_word_lists

_LISTS = read_word_lists(__package__, "names.tsv")

GIVEN_NAMES = frozenset(_LISTS["given name"])
"""Given names that are hardly ever another English or medical word ("Mark", "Rose" and "April" are not here)."""

EPONYMS = frozenset(_LISTS["eponym"])
"""Names in those of diseases, signs, scores and operations: no patient's, unless a title or a label says so."""

NOT_NAMES = frozenset(_LISTS["no name"])
"""Words that stand where a name may, and are none."""

_NAMES_OF_SEVERAL_WORDS = (
    "British Columbia, Central America, Costa Rica, Czech Republic, Hong Kong, Latin America, Middle East, New "
    "Hampshire, New Jersey, New Mexico, New South Wales, New York State, New Zealand, North America, North "
    "Carolina, North Dakota, Northern Ireland, Puerto Rico, Rhode Island, Saudi Arabia, South Africa, South "
    "America, South Carolina, South Dakota, South Korea, Sri Lanka, United Kingdom, United States, West Virginia"
)
COUNTRIES_AND_STATES = frozenset((*_LISTS["country or state"], *_NAMES_OF_SEVERAL_WORDS.split(", ")))
"""Countries and states: large enough to stay (45 CFR 164.514(b)(2)(i)(B) counts what is smaller than a state)."""
