"""A prompt as a model elsewhere may see it: what comes from its user under pseudonyms, what was published as it is."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from wellsourced.models.base import Prompt, R, RenderedPrompt
from wellsourced.models.prompt_rendering import list_passages
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.privacy.pseudonyms import NO_PSEUDONYMS, Pseudonyms
from wellsourced.types import Evidence

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
