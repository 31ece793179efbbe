"""Everything that can go wrong, as one tree: the class says who can act, and whether asking again can help.

WellsourcedError
├── SettingsError             yours to fix: an unknown key, a missing extra; the message names the remedy
├── QuestionError             yours to fix: an empty question, one that is longer than any reader could answer
│   └── BadQuery              an expression that cannot be read; carries where, in characters
├── SourceError               a source did not answer: becomes a gap in the answer, never an empty result
│   ├── SourceUnavailable     ask again later: a time-out, a full disk, a store that another process is writing
│   └── SourceRefused         will not change by asking: an unknown library, a corrupt store, a bad key
│       ├── OfflineError      nothing may leave this machine, and nothing did
│       ├── PersonalDataError  it holds what may identify somebody, so nothing of it was sent
│       ├── InsecureUrlError         a key or somebody's words would go over plain HTTP: nothing was sent
│       ├── ForbiddenAddress  an address that came from data and leads into the user's own network
│       ├── UnreadableFile    one file, and why it cannot be read; other files still go in
│       │   └── InaccessibleFile  the system does not give it now; it may at another time
│       ├── UnusableDigests   the guideline digests are not installed, or are other texts than those that are known
│       └── NotFoundError     no library, or no document, of that name
├── ModelError                a language model did not do what it was asked
│   ├── PromptTooLong         carries both token counts
│   ├── UnparsableReply       carries the reply
│   ├── UnsupportedPrompt     a kind of prompt that this model cannot serve
│   ├── IdentifyingPrompt     what was to be shown may identify somebody, and the user wants that refused
│   ├── ModelUnavailable      ask again later: no connection, a time-out, too many requests
│   ├── ModelRefused          will not change by asking: a bad key, a model that does not exist, a refusal to answer
│   └── BudgetSpent           the question may cost no more: what is supported so far is the answer
├── RunStopped                somebody stopped the work, here or in another process
├── LaterFormat               a result in a format that only a later version reads
└── EvidenceError             the chain is broken: UnknownPassage · Misquote · BrokenSpan · UncitedStatement

A message is one plain sentence of at most 20 words that names the thing and the reason; `next_step` names the remedy.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

NextStepKind = Literal[
    "create library",
    "add files",
    "resume files",
    "add recipe",
    "embed library",
    "expect questions",
    "rebuild library",
    "verify library",
    "retry files",
    "list faults",
    "remove files",
    "list libraries",
    "list presets",
    "list judges",
    "list history",
    "calibrate judge",
    "choose model",
    "set key",
    "go online",
    "allow identifiers",
    "install extra",
    "search research",
    "give tokens",
    "make token",
    "rephrase",
    "read hits",
    "check sources",
    "show document",
    "open passage",
    "show receipt",
    "change setting",
    "set up",
    "trust folder",
    "move home",
    "free disk",
    "close folder",
    "remove telemetry",
    "list live sources",
    "list contacted hosts",
    "update plugin",
    "allow patient text",
    "install package",
    "reinstall package",
]
"""What a reader can do next; the catalogue of each surface says how that is done there."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do about an error, a gap or an abstention. `value`: the library, setting, extra … that it is done to."""

    kind: NextStepKind
    value: str = ""


class WellsourcedError(Exception):
    """The root: catch it to catch everything that this package raises on purpose.

    next_step   what its reader can do, where that is said differently at a terminal, on a page and to a program;
                the message itself names no command and no page
    """

    def __init__(self, *args: object, next_step: NextStep | None = None) -> None:
        super().__init__(*args)
        self.next_step = next_step

    @property
    def phrase(self) -> str:
        """The message without its full stop, to be said within a sentence."""
        return str(self).rstrip(".")


class LaterFormat(WellsourcedError):
    """A result that a later version wrote; `version` is that of its format."""

    def __init__(self, version: int) -> None:
        self.version = version
        super().__init__(f"Written by a later wellsourced (format {version}). Update wellsourced to read it.")

    def __reduce__(self) -> tuple[type["LaterFormat"], tuple[int]]:
        return type(self), (self.version,)


class SettingsError(WellsourcedError):
    """A setting that does not exist, cannot be read, or needs something that is not installed."""


class QuestionError(WellsourcedError):
    """A question that nobody could answer as it stands."""


class BadQuery(QuestionError):
    """An expression of a query language that cannot be read.

    at        where the fault is, in characters of `query`, counted from 0
    reason    what is wrong there
    remedy    what its writer can do
    """

    def __init__(self, query: str, at: int, reason: str, remedy: str) -> None:
        self.query, self.at, self.reason, self.remedy = query, at, reason, remedy
        near = query[max(0, at - 30) : at + 30]
        super().__init__(f"{reason}, at character {at + 1}, near “{near}”. {remedy}")

    def __reduce__(self) -> tuple[type["BadQuery"], tuple[str, int, str, str]]:
        return type(self), (self.query, self.at, self.reason, self.remedy)


class SourceError(WellsourcedError):
    """A source did not answer. Never to be mistaken for a source that knows nothing.

    status   what its server answered, as HTTP counts (403, 429); 0 when that was not the reason
    """

    status = 0


class SourceUnavailable(SourceError):
    """The source could answer at another time."""


class SourceRefused(SourceError):
    """The source will not answer this, however often it is asked."""


class OfflineError(SourceRefused):
    """The user said that nothing may leave this machine: refused before a socket was opened."""


class PersonalDataError(SourceRefused):
    """What was to be asked holds what may identify somebody: nothing was sent."""


class InsecureUrlError(SourceRefused):
    """A key, or words of the user, would go over plain HTTP to another machine: nothing was sent."""


class ForbiddenAddress(SourceRefused):
    """An address that came from data (a page, a record) and leads to a private machine: it is not followed."""


class UnreadableFile(SourceRefused):
    """One file that cannot be read.

    path      the file
    reason    what is wrong with it, in words for its owner
    remedy    what its owner can do
    """

    def __init__(self, path: Path | str, reason: str, remedy: str) -> None:
        self.path, self.reason, self.remedy = Path(path), reason, remedy
        super().__init__(f"{path}: {reason}. {remedy}")

    def __reduce__(self) -> tuple[type["UnreadableFile"], tuple[Path, str, str]]:
        return type(self), (self.path, self.reason, self.remedy)


class InaccessibleFile(UnreadableFile):
    """One file that the system does not give at this moment: it is moved, locked, being written, its disk is away."""


class UnusableDigests(SourceRefused):
    """The package of the guideline digests is not installed, or brings other texts than those that are known."""


class NotFoundError(SourceRefused):
    """No library, or no document, of that name."""


class ModelError(WellsourcedError):
    """A model or a judge could not do what it was asked."""


class PromptTooLong(ModelError):
    """A prompt does not fit the model's window; nothing was cut behind the caller's back."""

    def __init__(self, tokens: int, limit: int) -> None:
        self.tokens, self.limit = tokens, limit
        super().__init__(f"the prompt has {tokens} tokens, and the model reads at most {limit}")


class UnparsableReply(ModelError):
    """A reply that is not of the promised type. It is counted as unparsed, never turned into a class."""

    def __init__(self, reply: str, reason: str) -> None:
        self.reply = reply
        super().__init__(f"the model's reply could not be read ({reason})")


class ReplyCutOff(UnparsableReply):
    """A reply that was longer than the model was allowed; it may be one when it is written again with more room."""

    def __init__(self, reply: str, tokens: int) -> None:
        super().__init__(reply, f"it was cut off after {tokens:,} tokens, the most that models.reply allows")


class UnsupportedPrompt(ModelError):
    """This model cannot answer this kind of prompt, however it is worded."""


class IdentifyingPrompt(ModelError):
    """What a model was to be shown may identify somebody, and the user wants that refused: nothing was sent."""


class ModelUnavailable(ModelError):
    """A model could answer at another time."""


class ModelRefused(ModelError):
    """A model will not answer this, however often it is asked."""


class BudgetSpent(ModelError):
    """One more call would cost the question more than its budget allows."""

    def __init__(self, what: str, spent: float, limit: float) -> None:
        self.what, self.spent, self.limit = what, spent, limit
        left = f"{max(limit - spent, 0):.3g} of {limit:g} {what} are left, too few for one more call"
        spent_up = f"the budget of {round(limit, 3):g} {what} is spent"
        super().__init__(left if spent < limit else spent_up, next_step=NextStep("change setting", f"budget.{what}"))


class RunStopped(WellsourcedError):
    """The work was stopped on purpose, here or in another process."""

    def __init__(self) -> None:
        super().__init__("This run was stopped before it finished.")


class EvidenceError(WellsourcedError):
    """The chain from a statement to the words of a source is broken."""


class UnknownPassage(EvidenceError):
    """A citation names a passage that the answer does not carry."""

    def __init__(self, passage_id: str) -> None:
        super().__init__(f"the answer cites {passage_id}, which is not among its evidence")


class Misquote(EvidenceError):
    """A quote is not, character for character, in the place it claims to come from."""

    def __init__(self, passage_id: str, quote: str) -> None:
        super().__init__(f"{passage_id} does not contain these words at the place given: “{quote[:120]}”")


class BrokenSpan(EvidenceError):
    """Offsets and words differ in length."""

    def __init__(self, document_id: str, start: int, end: int, length: int) -> None:
        super().__init__(f"{document_id}: characters {start} to {end} cannot hold a text of {length} characters")


class UncitedStatement(EvidenceError):
    """An answer from evidence contains a statement that shows no words."""

    def __init__(self, text: str) -> None:
        super().__init__(f"this statement cites nothing: “{text[:120]}”")
