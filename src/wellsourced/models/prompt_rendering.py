"""A typed prompt in words: what is asked, and what is shown, fenced so that nothing in it can pass for anything else.

The instruction is ours, or the user's own. Everything shown was typed or found by somebody: each field stands between
tags that carry one code, made from a hash of all that is shown and found nowhere in it, so no text can close its own
fence or open another. What chat templates and terminals obey (`<|im_start|>`, `[/INST]`, control characters) is made
inert by characters that nobody sees, which `text.quotes` passes over when the model copies them.

A model elsewhere is shown what comes from its user under pseudonyms, and what was published as it is.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from hashlib import sha256
from itertools import accumulate
from typing import Any, NamedTuple

from pydantic import BaseModel

from wellsourced.models.base import FENCE_RULE, Prompt, R, RenderedPrompt, Reply
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.privacy.pseudonyms import NO_PSEUDONYMS, Pseudonyms
from wellsourced.text.languages import language_name
from wellsourced.types import Evidence, Passage, Question, Turn

_LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,3}(?:-\w{2,8})?")


def describe_language(code: str) -> str:
    """The language's name; one that has none here by its code; English where there is no code."""
    short = code[:2].lower() if _LANGUAGE_CODE.fullmatch(code) else "en"
    name = language_name(short)
    return name if name != short else f"the language with the code “{code}” (ISO 639)"


_PASSAGE_SENTENCES = (
    "Each passage stands between tags with its id, under the title, year and kind of its source and the path of its "
    "section: they say what, and whom, its text is about.",
    "`card` is what another reader noted of the study: it may be wrong, and is not quoted.",
    "`highlights` are sentences of the text that seemed nearest to the question when it was found: they show where to "
    "begin, may be beside it, and are never all that the text says.",
    "Quotes are copied from the text. A line is read with what stands over it: the section, the branch or the heading "
    "that it hangs on is a condition of it, “Do NOT” over a line belongs to it, and all columns of one row of a table "
    "belong together, none of them to another row.",
)
"""What each part of a passage is: a user's own words for a prompt need not say it."""

_DEMAND_SENTENCES = {
    "statements": "Write at most {} statements.",
    "leads": "Let at most {} of them lead.",
    "reasoning": "First write down your reasoning in `reasoning`, step by step, in about a hundred words.",
    "language": "Write in {}.",
}
"""Fields that say how to write: they are asked, not shown."""

_UNASKED_SENTENCES = {"reasoning": "Leave `reasoning` empty."}
"""What is said of such a field where it asks for nothing."""

_JOINER = "\N{WORD JOINER}"
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_MARKUP = re.compile(
    r"<(?=[<|｜/!?\w])(?!\d)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|\w+_TOOLS|TOOL_\w+|IMG\w*|AUDIO|PREFIX|MIDDLE|SUFFIX|ARGS|CALL_ID|THINK|gMASK)\])"
)
"""Where a tag, or a token of a chat template, could begin; not "<5", "< 0.05" and "[NAME]"."""
_INVISIBLE = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Marks that reverse what is read, and letters that only machines see."""


def render_prompt(prompt: Prompt[Any], instruction: str = "") -> RenderedPrompt:
    """The prompt as it is said: the same for the same prompt, whenever and wherever.

    instruction   the user's own words in place of those of the prompt's class
    """
    asked = "\n\n".join(
        filter(
            None,
            (
                instruction.strip() or prompt.instruction(),
                _render_demands(prompt),
                _explain_passages(prompt),
                FENCE_RULE,
            ),
        )
    )
    return RenderedPrompt(asked, _render_fields(prompt, _choose_fence_code(_render_fields(prompt, ""))))


@cache
def render_schema(reply: type[Reply]) -> str:
    """The JSON schema of a reply, in one line: the same for the same type."""
    return json.dumps(reply.model_json_schema(), sort_keys=True)


def neutralize_markup(text: str) -> str:
    """A text that is only read: no control characters, no tags, no tokens of chat templates; its words as they were."""
    text = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text))
    text = _CONTROLS.sub(" ", text).encode("utf-8", "replace").decode("utf-8")
    return _MARKUP.sub(lambda found: found.group() + _JOINER, text).strip("\n")


def _render_demands(prompt: Prompt[Any]) -> str:
    given = {name: getattr(prompt, name) for name in type(prompt).model_fields if name in _DEMAND_SENTENCES}
    if "language" in given:
        given["language"] = describe_language(given["language"])
    said = (
        sentence.format(given[name]) if given[name] else _UNASKED_SENTENCES.get(name, "")
        for name, sentence in _DEMAND_SENTENCES.items()
        if name in given
    )
    return " ".join(filter(None, said))


def _explain_passages(prompt: Prompt[Any]) -> str:
    """What the parts of a passage are that stand in the prompt; "" where it shows none."""
    shown = list_passages(prompt)
    if not shown:
        return ""
    evidence = [one for one in shown if isinstance(one, Evidence)]
    tags, card, highlights, quotes = _PASSAGE_SENTENCES
    told = (
        tags,
        card if any(one.card for one in evidence) else "",
        highlights if any(map(list_highlights, evidence)) else "",
        quotes,
    )
    return " ".join(filter(None, told))


def list_passages(prompt: Prompt[Any]) -> list[Passage | Evidence]:
    """The passages that a prompt shows, in its order."""
    values = (value for _, value in _list_set_fields(prompt) if isinstance(value, tuple))
    return [one for value in values for one in value if isinstance(one, Passage | Evidence)]


def _render_fields(prompt: Prompt[Any], code: str) -> str:
    fields = ((name, value) for name, value in _list_set_fields(prompt) if name not in _DEMAND_SENTENCES)
    return "\n\n".join(filter(None, (_render_field(name, value, code) for name, value in fields)))


def _choose_fence_code(content: str) -> str:
    """As few digits of the content's hash as occur nowhere in it: short, for a small model reads it often."""
    digest, found = sha256(content.encode()).hexdigest().upper(), content.upper()
    return next(digest[:length] for length in range(4, len(digest) + 1) if digest[:length] not in found)


def _list_set_fields(value: BaseModel) -> Iterator[tuple[str, Any]]:
    """Name and value of every field that says something: one that has its default says nothing."""
    for name, field in type(value).model_fields.items():
        if (given := getattr(value, name)) != field.get_default(call_default_factory=True):
            yield name, given


def _render_field(name: str, value: Any, code: str) -> str:
    if isinstance(value, int | float):
        return "\n".join(f"{name}: {line}" for line in render_lines(value))
    if isinstance(value, str):
        return _fence_field(name, neutralize_markup(value), code)
    if isinstance(value, tuple) and value and all(isinstance(one, Passage | Evidence) for one in value):
        return _fence_field(name, "\n\n".join(_render_passage(one, code) for one in value), code)
    return _fence_field(name, "\n".join(render_lines(value)), code)


def _render_passage(one: Passage | Evidence, code: str) -> str:
    passage = one.passage if isinstance(one, Evidence) else one
    return _fence_field("passage", "\n".join(render_lines(one)), code, f" id={passage.key}")


def _fence_field(name: str, body: str, code: str, says: str = "") -> str:
    return f"<{name}-{code}{says}>\n{body}\n</{name}-{code}>" if body.strip() else ""


def render_lines(value: object) -> list[str]:
    """A value in lines for a model that may be small: names and values, no brackets; none when it says nothing."""
    match value:
        case None | False:
            return []
        case True:
            return ["yes"]
        case int() | float():
            return [f"{value:g}"]
        case str():
            # One line: no text within a list or under a name can begin an item or a name of its own.
            line = " ".join(neutralize_markup(value).split())
            return [line] if line else []
        case tuple() if all(isinstance(one, str) for one in value):
            return render_lines("; ".join(value))
        case tuple():
            return _render_items(map(render_lines, value))
        case dict():
            return _render_fields_of((" ".join(render_lines(name)), given) for name, given in value.items())
        case Turn():
            return _render_named(value.role, render_lines(value.text))
        case Question():
            # Nothing else of it: no prompt shows the patient, what was said before or who may count as evidence.
            return [*neutralize_markup(value.text).split("\n"), *_render_named("options", render_lines(value.options))]
        case Passage():
            work = value.reference
            heading = {"title": work.title, "year": work.year, "kind": work.kind, "section": value.section}
            return [*_render_fields_of(heading.items()), "text:", *neutralize_markup(value.text).split("\n")]
        case Evidence():
            return [
                *_render_named("card", render_lines(value.card)),
                *_render_named("highlights", _render_items(map(render_lines, list_highlights(value)))),
                *render_lines(value.passage),
            ]
        case BaseModel():
            return _render_fields_of(_list_set_fields(value))
    raise TypeError(f"a {type(value).__name__} cannot be shown to a model")


def _render_fields_of(fields: Iterable[tuple[str, Any]]) -> list[str]:
    return [line for name, given in fields for line in _render_named(name, render_lines(given))]


MIN_POINTING_WORDS = 5
"""Words of a quote that points to something; fewer are a heading, or a cell of a table."""


_TABLE_MARK = re.compile(r"\s\|\s|^\|")

_LIST_MARK = re.compile(r"\A(?:[-–—•*]\s+)+(?=\S)")


def list_highlights(value: Evidence) -> list[str]:
    """The quotes that point to a part of the passage, at most half of it in all: no heading, row of a table, or part of
    another quote."""
    passage = value.passage
    titles = (passage.section, passage.reference.title)
    told = [
        quote
        for quote in value.quotes
        if len(quote.split()) >= MIN_POINTING_WORDS
        and not _TABLE_MARK.search(quote)
        and not any(quote in title for title in titles)
    ]
    whole = [quote for quote in told if not any(quote in other for other in told if other != quote)]
    lengths = accumulate(map(len, whole))
    return [quote for quote, length in zip(whole, lengths, strict=True) if 2 * length <= len(passage.text)]


def _render_items(said: Iterable[list[str]]) -> list[str]:
    """Items of a list; the mark that an item of a source's own list begins with is not shown twice."""
    marked = ((_LIST_MARK.sub("", item[0]) or item[0], item[1:]) for item in said if item)
    return [line for first, rest in marked for line in (f"- {first}", *_indent_lines(rest))]


def _render_named(name: str, said: list[str]) -> list[str]:
    """What was said, under its name: beside it where it is one line that is no item."""
    if len(said) == 1 and not said[0].startswith("- "):
        return [f"{name}: {said[0]}"]
    return [f"{name}:", *_indent_lines(said)] if said else []


def _indent_lines(said: list[str]) -> list[str]:
    return [f"  {line}" for line in said]


# A prompt as a model elsewhere may see it: what comes from its user under pseudonyms.


PSEUDONYM_RULE = """\
Brackets with a number, such as [NAME 1] or [DATE 2], stand for what identifies a person and is withheld; \
the same brackets stand for the same words everywhere. Where you need them, copy the brackets as they are."""
"""The end of an instruction where something is withheld."""

_FIRST_FENCE = re.compile(r"^<\w+-([0-9A-F]{4,64})(?: id=\w+)?>$", re.MULTILINE)


class ConcealedPrompt(NamedTuple):
    """A prompt in words, and what stands in them for what."""

    wording: RenderedPrompt
    pseudonyms: Pseudonyms = NO_PSEUDONYMS


class _MaterialPart(NamedTuple):
    """A part of what is shown; one that is `open` goes as it is."""

    text: str
    is_open: bool


def conceal_prompt(prompt: Prompt[Any], wording: RenderedPrompt, exit: PrivacyFilter) -> ConcealedPrompt:
    """The wording without what identifies somebody, as `exit` has it.

    All that is shown counts as somebody's words, but for our own fences and for passages that were published: those
    that come with wellsourced, and those that a live source gave. Raises IdentifyingPrompt as `PrivacyFilter.conceal`
    does.
    """
    passages = [one.passage if isinstance(one, Evidence) else one for one in list_passages(prompt)]
    public = {one.key for one in passages if one.reference.kind != "own" and exit.is_public(one.reference.id)}
    pieces = list(_split_material(wording.material, public))
    private = [piece.text for piece in pieces if not piece.is_open]
    concealed = exit.conceal(private, wording.material)
    if not concealed.pseudonyms.words:
        return ConcealedPrompt(wording)
    texts = iter(concealed.texts)
    shown = "".join(piece.text if piece.is_open else next(texts) for piece in pieces)
    return ConcealedPrompt(RenderedPrompt(f"{wording.instruction}\n{PSEUDONYM_RULE}", shown), concealed.pseudonyms)


def restore_reply(reply: R, pseudonyms: Pseudonyms) -> R:
    """The reply with the words in place of their pseudonyms; as it is where its type would not take them."""
    if not pseudonyms.words:
        return reply
    try:
        return type(reply).model_validate(pseudonyms.restore_value(reply.model_dump(mode="json")))
    except ValueError:
        return reply


def restore_partial_replies(heard: Callable[[str], None], pseudonyms: Pseudonyms) -> Callable[[str], None]:
    """Hears a reply as it is written, with the words in place of their pseudonyms."""
    return (lambda reply: heard(pseudonyms.restore_json(reply))) if pseudonyms.words else heard


def _split_material(shown: str, public: Collection[str]) -> Iterator[_MaterialPart]:
    """What is shown, in parts: our fences and passages of these keys are open."""
    fence = _FIRST_FENCE.search(shown)
    if fence is None:
        yield _MaterialPart(shown, False)
        return
    code = fence[1]
    # The code stands nowhere in what is shown but in our own fences.
    whole = (
        rf"<passage-{code} id=(?:{'|'.join(map(re.escape, sorted(public)))})>\n.*?\n</passage-{code}>|"
        if public
        else ""
    )
    end = 0
    for found in re.finditer(rf"(?s){whole}</?\w+-{code}(?: id=\w+)?>", shown):
        if found.start() > end:
            yield _MaterialPart(shown[end : found.start()], False)
        yield _MaterialPart(found.group(), True)
        end = found.end()
    if end < len(shown):
        yield _MaterialPart(shown[end:], False)
