"""Why an answer abstains, in sentences for its reader."""

from collections.abc import Sequence

from wellsourced.pipeline.evidence import GatheredEvidence
from wellsourced.pipeline.read.consumer_sources import explain_to_patient
from wellsourced.question.required_entities import find_required_entities, list_missing_terms
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Question

NOTHING_RELEVANT_REASON = "Passages were found, but none of them is relevant to the question."


def explain_abstention(explored: GatheredEvidence, question: Question) -> str:
    """Why an answer abstains, in a sentence for its reader."""
    if explored.is_outage:
        return "No source could be reached."
    if not any(card.documents or card.live for card in explored.sources):
        if explored.unasked_gaps:
            return "No source could be reached."
        return "There is nothing to search: no library holds any documents."
    if explored.has_named_documents and not explored.reading.documents:
        return "None of the named documents could be opened."
    if not explored.attempts and not explored.reading.evidence:
        return "The plan contains no search, and no answer is given without a source."
    if explored.attempts and not any(attempt.found for attempt in explored.attempts):
        return "No source holds anything that matches the question's words or meaning within its limits."
    if reason := explain_to_patient(question, explored.reading.evidence, explored.sources):
        return reason
    if not explored.reading.evidence:
        return NOTHING_RELEVANT_REASON
    found = "\n".join(text_under_titles(item.passage) for item in explored.reading.evidence)
    named = [one for one in find_required_entities(question) if one.kind == "name"]
    if named and list_missing_terms(named, found) == named:
        return explain_missing([one.name for one in named])
    if explored.reading.head == "nothing":
        return NOTHING_RELEVANT_REASON
    return "The passages found are close to the question but do not answer it with enough certainty."


def explain_limits(question: Question) -> str:
    """What besides may have kept an answer from being found: its dates, its language; "" for nothing."""
    told = ""
    if question.since or question.as_of:
        first = f" from {question.since}" if question.since else ""
        last = f" until {question.as_of}" if question.as_of else ""
        told = f" Only works published{first}{last} were searched, and none without a date."
    if question.language != "en" and detect_language(question.text) == question.language:
        told += f" The question was compared as written, in {language_name(question.language)}: ask in English."
    return told


def explain_missing(missing: Sequence[str]) -> str:
    """That what was found does not speak of what is asked; "" where nothing of it can be named."""
    return f"Nothing found mentions {' or '.join(missing)} for this question." if missing else ""
