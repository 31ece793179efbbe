"""What a question of yes or no claims of how: over what else, in which rank, when, for how long, to what effect.

A sentence that does not say that is no "yes" to it, however much of the rest it says.
"""

import re

from wellsourced.clinical.drugs import find_drugs, is_meant
from wellsourced.text.tokens import content_stems

_COMPARING = re.compile(
    r"\b(?:over|instead of|rather than|in preference to|in place of|superior to|preferred to|versus|vs\.?"
    r"|compared (?:to|with)|replac(?:es|ing)|(?:better|safer|worse|more \w+|less \w+) than)\s",
    re.IGNORECASE,
)
_OTHER_END = re.compile(r"[?.;,:]|\b(?:in|for|with|when|if|as|after|before|during|among|at)\b", re.IGNORECASE)
_RANKS = (
    (
        re.compile(r"\bfirst[- ](?:line|choice)\b|\b(?:drug|agent|treatment) of (?:first )?choice\b", re.IGNORECASE),
        re.compile(r"\bfirst\b|\binitial\w*|\bpreferred\b|\bof choice\b|\b1st\b|\bprimary\b", re.IGNORECASE),
    ),
    (
        re.compile(r"\bsecond[- ](?:line|choice)\b", re.IGNORECASE),
        re.compile(r"\bsecond\b|\balternative\w*|\b2nd\b|\badd\w*", re.IGNORECASE),
    ),
    (
        re.compile(r"\bprevent(?:s|ed|ing|ion)?\b|\bprophyla\w+", re.IGNORECASE),
        re.compile(r"\bprevent\w*|\bprophyla\w+|\breduc\w+|\blower\w*|\bfewer\b|\bavoid\w*|\bprotect\w*", re.I),
    ),
    (re.compile(r"\bprefer(?:red|able|ence)\b", re.IGNORECASE), re.compile(r"\bprefer\w*|\bover\b|\bfirst\b", re.I)),
)
"""How a question ranks what it asks for, or what for, and how a sentence does that answers it."""

_LASTING = re.compile(
    r"\b(?:for|every|within|at least|up to|over) (?P<number>\d+)[- ](?P<unit>day|week|month|year|hour)s?\b"
    r"(?! (?:already|now|ago|so far))",
    re.IGNORECASE,
)
_CAUTION = re.compile(r"\b(?:use|with|exercise|extreme) caution\b|\bcautiously\b", re.IGNORECASE)


_TIMED = re.compile(
    r"\b(?:(?P<when>before|after|during|following|prior to)\s+(?:the |an? |any )?|(?P<joined>pre|post)-)"
    r"(?P<what>[\w-]+)",
    re.IGNORECASE,
)
_BEFORE = frozenset({"before", "prior to", "pre"})
_ALIKE = (
    re.compile(r"\badmissions?\b|\badmitted\b|\bhospitali[sz]\w+", re.IGNORECASE),
    re.compile(r"\bmortality\b|\bdeaths?\b|\bdie[sd]?\b|\bsurviv\w+", re.IGNORECASE),
    re.compile(r"\bbleed\w*|\bha?emorrhag\w+", re.IGNORECASE),
    re.compile(r"\bheart\b|\bcardi\w+", re.IGNORECASE),
)
"""Words for one effect."""
_EFFECT = re.compile(
    r"\b(?:reduc|lower|decreas|improv|slow|increas|rais|prolong|shorten|delay|worsen)(?:e|es|s|ed|ing)?\s(?P<what>[^?.;,]{3,60})",
    re.IGNORECASE,
)


def leaves_manner_open(question: str, said: str) -> bool:
    """Whether a sentence that seems to affirm a question does not say how, as the question claims it."""
    return (
        _leaves_comparison_open(question, said)
        or any(asked.search(question) and not ranked.search(said) for asked, ranked in _RANKS)
        or any(not _says_time(match, said) for match in _LASTING.finditer(question))
        or any(_is_at_another_time(match, said) for match in _TIMED.finditer(question))
        or any(not _names_effect(match["what"], said) for match in _EFFECT.finditer(question))
        or bool(_CAUTION.search(said) and not _CAUTION.search(question))
    )


def _leaves_comparison_open(question: str, said: str) -> bool:
    """Whether the question prefers something to another thing, and the sentence does not prefer it to just that."""
    comparing = _COMPARING.search(question)
    if comparing is None:
        return False
    end = _OTHER_END.search(question, comparing.end())
    other = question[comparing.end() : end.start() if end else len(question)]
    found = [(one.start(), one.end()) for one in _COMPARING.finditer(said)]
    return not any(_names(other, said[after:]) and not _names(other, said[:before]) for before, after in found)


def _names(thing: str, text: str) -> bool:
    """Whether a text names a drug of a few words, or where they name none, one of the words."""
    if drugs := find_drugs(thing):
        return any(is_meant(named, drug) for named in find_drugs(text) for drug in drugs)
    return not set(content_stems(thing)).isdisjoint(content_stems(text))


def _says_time(asked: re.Match[str], said: str) -> bool:
    return bool(re.search(rf"\b{asked['number']}[- ]?(?:to \d+ )?{asked['unit']}", said, re.IGNORECASE))


def _is_at_another_time(asked: re.Match[str], said: str) -> bool:
    """Whether a sentence is about before or after what the question names, where the question asks of the other."""
    what = content_stems(asked["what"])[:1]
    times = [_is_before(one) for one in _TIMED.finditer(said) if content_stems(one["what"])[:1] == what]
    return bool(what and times) and _is_before(asked) not in times


def _is_before(timed: re.Match[str]) -> bool:
    return (timed["when"] or timed["joined"]).lower() in _BEFORE


def _names_effect(effect: str, said: str) -> bool:
    """Whether a sentence speaks of what is to be changed: the words before whom it is changed in."""
    end = _OTHER_END.search(effect)
    words = effect[: end.start()] if end else effect
    wanted = content_stems(words)
    is_named = not wanted or not set(wanted).isdisjoint(content_stems(said))
    return is_named or any(one.search(words) and one.search(said) for one in _ALIKE)
