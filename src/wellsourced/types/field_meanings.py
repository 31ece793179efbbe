"""What each field means, for the JSON schema of its value: from the docstring of the class, else from a table."""

from typing import Any

from pydantic import BaseModel

PROMPTS = "wellsourced.prompts."

FIELD_MEANINGS = {
    "version": "Version of this JSON.",
    "kind": "Its kind, one of a few.",
    "id": "Its id.",
    "key": "The key under which it is known.",
    "name": "Its name.",
    "number": "Its number in the text, from 1.",
    "start": "Its first character; offsets are of Unicode characters, from 0.",
    "end": "The character after its last.",
    "text": "Its words.",
    "quote": "The words of the source, unchanged.",
    "reference": "The work that it is from.",
    "passage": "The passage, with its work.",
    "passage_id": "Id of the passage that has the words.",
    "citations": "The quotes that support it, each with its place.",
    "verdict": "Whether the source supports it.",
    "label": "Whether the text supports, contradicts, or does not settle it.",
    "score": "How sure the judge is, from 0 to 1; comparable within one judge.",
    "reason": "Why, in words.",
    "question": "The question, as it was understood.",
    "order": "The order, as it was sent.",
    "evidence": "The passages that were read, with what is known of each.",
    "gaps": "What should have been searched and was not.",
    "attempts": "Every search, with its outcome.",
    "abstained": "No answer is given, since no source supports one.",
    "basis": "What it rests on.",
    "recommendation": "What was compared with the patient; null where no patient was given.",
    "notes": "What to know when reading it.",
    "search": "What was asked of which source.",
    "source": "The source.",
    "sources": "The sources.",
    "query": "What it was asked.",
    "tier": "Which tier of sources it was, from 0.",
    "status": "How it ended.",
    "found": "Passages found.",
    "error": "What went wrong; empty where nothing did.",
    "title": "Title of the work.",
    "url": "Its address on the web.",
    "doi": "Its DOI.",
    "pmid": "Its PubMed id.",
    "pmcid": "Its PubMed Central id.",
    "authors": "Its authors.",
    "organisation": "Who issued it.",
    "journal": "Its journal.",
    "volume": "Volume of the journal.",
    "issue": "Issue of the journal.",
    "pages": "Pages in the journal, or of the document.",
    "year": "Its year.",
    "publication_types": "Its publication types, as PubMed names them.",
    "retraction": "What registries say of its retraction.",
    "notices": "The notices that say so.",
    "as_of": "The day up to which it is true, or was looked up.",
    "since": "Published on this day or later.",
    "exclude": "Ids of documents that are left out.",
    "section": "The heading above it.",
    "sections": "Its sections, with their places.",
    "page": "Its printed page.",
    "stands_for_document": "It is what is known of the whole work, such as an abstract.",
    "length": "Characters of the whole document.",
    "summary": "What the article says, in a sentence.",
    "design": "Design of the study.",
    "population": "Who was studied, or who is asked about.",
    "intervention": "What is done to them.",
    "comparison": "With what it is compared.",
    "outcome": "What is looked at.",
    "submitted": "The text that was checked.",
    "claims": "Its statements.",
    "claim": "Number of the statement.",
    "traced": "What became of each source: found, retracted, not found.",
    "pairings": "Each statement beside each source it was compared with.",
    "edits": "How to edit or remove statements that are not supported.",
    "judge": "Who compared them.",
    "about": "What it is about.",
    "sides": "The sources that disagree.",
    "says": "What it says.",
    "resolution": "Which is to be preferred, and why.",
    "differences": "Words in which the two differ.",
    "statement": "Words of the statement.",
    "statements": "The number of statements, or the statements.",
    "what": "What was left out.",
    "is_rewrite": "It was itself put in the place of another.",
    "term": "The term.",
    "terms": "The terms.",
    "meaning": "What it means.",
    "sign": "The sign, as it was written.",
    "answer": "What it means, with its sources.",
    "documents": "The documents, or their number.",
    "passages": "The passages, or their number.",
    "document": "The document.",
    "next": "Cursor of the next page; empty on the last.",
    "runs": "The runs of this page.",
    "state": "waiting, running, finished, failed or stopped.",
    "at": "When it began, in UTC.",
    "steps": "What happened so far, each step in a sentence.",
    "limits": "What one day allows; 0: no limit.",
    "used": "What was used today.",
    "answers": "Answers of a day.",
    "calls": "Requests to language models.",
    "cached": "Of them, those answered from the disk.",
    "tokens": "Tokens of language models of a day.",
    "tokens_in": "Tokens that were read.",
    "tokens_out": "Tokens that were written.",
    "live": "It is asked over the network.",
    "value": "What it concerns; empty for nothing.",
    "role": "Who said it.",
    "part": "How many of them.",
    "of": "Of how many.",
    "share": "Their share, from 0 to 1.",
    "low": "Lower end of its 95 % interval.",
    "high": "Upper end of its 95 % interval.",
    "standing": "Whether it exists, and was retracted.",
    "address": "What its address says.",
    "suffix": "The end of its domain.",
    "by": "Who publishes there.",
    "quotes": "The quotes of the draft, counted.",
    "verbatim": "Statements that repeat their source word for word.",
    "verified": "Statements that a judge found supported.",
    "contradicted": "Statements that a source contradicts.",
    "unsupported": "Statements that no source supports.",
    "unverified": "Statements that were not checked.",
    "unjudged": "Statements that no judge could decide.",
    "gist": "What it says, in a sentence.",
    "top": "Passages at the top that were compared.",
    "delta": "How far the two rankings are apart.",
    "iou": "Overlap of the two, from 0 to 1.",
    "parts": "The parts that were read.",
    "claim_start": "First character of the words in the statement.",
    "claim_end": "The character after their last.",
    "source_start": "First character of the words in the source.",
    "source_end": "The character after their last.",
}
"""Field → its meaning, the same in every value that has it."""


def describe_fields(schema: dict[str, Any], kind: type[BaseModel]) -> None:
    """Give every property of a JSON schema its description, but for what a model writes: its prompt says it."""
    if kind.__module__.startswith(PROMPTS):
        return
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    own: dict[str, str] = {}
    for cls in reversed(kind.__mro__):
        own |= _read_docstring(cls.__doc__ or "", properties)
    for name in own.keys() & properties.keys():
        properties[name].setdefault("description", own[name])
    describe_known_fields(schema)


def describe_known_fields(schema: dict[str, Any]) -> None:
    """Describe the properties of a JSON schema that have no description, where the table knows them."""
    for name, described in schema.get("properties", {}).items():
        if name in FIELD_MEANINGS:
            described.setdefault("description", FIELD_MEANINGS[name])


def _read_docstring(docstring: str, names: dict[str, Any]) -> dict[str, str]:
    """Field → what its line says: "start, end   its place", which lines that are set in go on with."""
    meanings: dict[str, str] = {}
    current: list[str] = []
    for line in docstring.splitlines()[1:]:
        head, gap, words = line.strip().partition("   ")
        fields = [name for name in head.split(", ") if name in names] if gap else []
        if fields:
            current = fields
        elif not (current and line.startswith(" " * 8)):
            current = []
        for name in current:
            meanings[name] = f"{meanings.get(name, '') if not fields else ''} {words if fields else line}".strip()
    return {name: " ".join(words.split()) for name, words in meanings.items()}
