"""A blinded questionnaire: what is asked, a form for each rater in an order of its own, and the key of whose is what.

Each form has, as quality control, one of its questions twice with the answers the other way round, and a question with
an answer that is obviously wrong. What raters are asked of every answer is read from a TOML file.

A form is a page that works without a network, or a table for a spreadsheet. The page (`questionnaire.html`) keeps what
was rated in the browser and writes it into a file; nothing is sent. Answers are all set alike; what they hold of HTML
is shown as text, and no script but the page's own can run.
"""

import random
import tomllib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Literal, Self

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from pydantic import Field, ValidationError, model_validator

from wellsourced.errors import UnreadableFile
from wellsourced.text.sanitization import sanitize_text
from wellsourced.types import Value
from wellsourced_evaluate.checkups.rater_files import render_csv
from wellsourced_evaluate.rating.system_answers import Citations, ComparedQuestion, MatchedAnswers, SystemAnswers
from wellsourced_evaluate.recorded_rows import describe_fault

HERE = Path(__file__).parent

ItemKind = Literal["question", "repeat", "control"]

RIGHT, WRONG = "right", "wrong"
"""What the key calls the answers of the control question."""

LETTERS = ascii_uppercase[:6]
"""What the answers of a question are called; there are no more systems than these."""

PREFERENCE, TIE = "preference", "tie"

DEFAULT_CRITERIA_FILE, INSTRUMENTS_FILE = "default_criteria.toml", "instruments.toml"
MAX_STEPS = 11
REMEDY = "Take the file criteria.toml that `wellsourced evaluate questionnaire` writes as a pattern."

Line = Annotated[str, Field(min_length=1, max_length=500)]


class Criterion(Value):
    """Something of which every answer is rated, on a scale of whole numbers from `low` to `high`.

    of_documents   it is of what was found for the answer, and not asked of an answer for which nothing was
    """

    name: Annotated[str, Field(pattern=r"^\w[\w -]{0,39}$")]
    ask: Line
    low: int = 1
    high: int = 5
    low_means: Line
    high_means: Line
    better: Literal["higher", "lower"] = "higher"
    of_documents: bool = False

    @model_validator(mode="after")
    def _require_a_scale(self) -> Self:
        if not 1 <= self.high - self.low < MAX_STEPS or self.low < -99 or self.high > 99:
            raise ValueError(f"a scale has 2 to {MAX_STEPS} steps, from low to high")
        return self


class PreferenceQuestion(Value):
    """Which answer a rater would rather have, and what it is called to have none."""

    ask: Line
    tie: Line


class ControlQuestion(Value):
    """A question with an answer that everybody knows to be right and one that is obviously wrong."""

    question: Line
    right: Annotated[str, Field(min_length=1, max_length=5_000)]
    wrong: Annotated[str, Field(min_length=1, max_length=5_000)]


class RatingCriteria(Value):
    """Everything that a questionnaire asks; a preference or a control that is None is not asked for."""

    title: Line
    instructions: Annotated[str, Field(max_length=5_000)] = ""
    criteria: Annotated[tuple[Criterion, ...], Field(max_length=20)] = ()
    preference: PreferenceQuestion | None = None
    control: ControlQuestion | None = None

    @model_validator(mode="after")
    def _require_something_to_ask(self) -> Self:
        names = [one.name.casefold() for one in self.criteria]
        if len(set(names)) < len(names):
            raise ValueError("two criteria have the same name")
        if not names and not self.preference:
            raise ValueError("it asks for nothing: no criteria, and no preference")
        return self


class FormItem(Value):
    """What a rater is asked once: a question, and answers in the order of the letters.

    systems      whose the answers are: no form tells
    documented   those of which it is shown what was found
    texts        the answers, and `documents`: what was found for each; the key does not have them
    """

    id: str = ""
    kind: ItemKind
    question: str
    systems: tuple[str, ...]
    documented: tuple[str, ...] = ()
    texts: tuple[str, ...] = Field(default=(), exclude=True)
    documents: tuple[tuple[str, ...], ...] = Field(default=(), exclude=True)

    def list_criteria(self, criteria: RatingCriteria, place: int) -> list[Criterion]:
        """What is asked of the answer at this place."""
        has_documents = self.systems[place] in self.documented
        return [one for one in criteria.criteria if has_documents or not one.of_documents]


class RatingForm(Value):
    """What one rater is sent: the items in the order in which they are shown."""

    id: str
    rater: int
    items: tuple[FormItem, ...]


class Questionnaire(Value):
    """All forms. As JSON, without the answers, it is the key with which ratings are read, and which no rater may see.

    identical   questions that nobody is asked, since all systems gave the same answer
    """

    study: Literal["wellsourced ratings 1"] = "wellsourced ratings 1"
    seed: int
    citations: Citations
    systems: tuple[SystemAnswers, ...]
    criteria: RatingCriteria
    identical: tuple[str, ...] = ()
    forms: tuple[RatingForm, ...]


def read_instruments() -> dict[str, str]:
    """Name of a published study → what it asks, as TOML."""
    _, *tables = (HERE / INSTRUMENTS_FILE).read_text(encoding="utf-8").split("\n[")
    return {table.partition("]")[0]: table.partition("\n")[2] for table in tables}


def read_criteria(given: str) -> tuple[RatingCriteria, str]:
    """The criteria of a published study or of a file, or those of the package, and the text that they stand in.

    Raises UnreadableFile.
    """
    path, known = Path(given) if given else HERE / DEFAULT_CRITERIA_FILE, read_instruments()
    if not path.is_file() and given not in known:
        raise UnreadableFile(path, "there is no such file", f"Name a file, or one of {', '.join(known)}.")
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else known[given]
        return RatingCriteria.model_validate(tomllib.loads(text)), text
    except ValidationError as error:
        raise UnreadableFile(path, describe_fault(error), REMEDY) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableFile(path, f"it is not valid TOML ({error})", REMEDY) from error


def build_questionnaire(
    systems: Sequence[SystemAnswers],
    matched: MatchedAnswers,
    criteria: RatingCriteria,
    citations: Citations,
    raters: int,
    seed: int,
    controls: bool = True,
    quota: int = 0,
) -> Questionnaire:
    """A form for each rater. The same seed gives the same forms.

    In each form a system has each place as often as in every other, give or take one. With a quota each form has so
    many of the questions, and each question comes to as many raters as every other, give or take one.
    """
    every = list(matched.questions)
    random.Random(f"{seed}/questions").shuffle(every)  # noqa: S311 - an order that can be repeated, no secret
    share = quota or len(every)
    shows_documents = any(one.of_documents for one in criteria.criteria)
    forms = []
    for rater in range(1, raters + 1):
        draw = random.Random(f"{seed}/{rater}")  # noqa: S311 - an order that can be repeated, no secret
        # Questions are dealt in turn, so that none comes twice to one rater.
        dealt = [every[at % len(every)] for at in range((rater - 1) * share, rater * share)]
        items = list(_order_answers(dealt if quota else matched.questions, draw, shows_documents))
        draw.shuffle(items)
        if controls:
            _add_controls(items, criteria.control, draw)
        named = tuple(item.model_copy(update={"id": f"{draw.getrandbits(40):010x}"}) for item in items)
        forms.append(RatingForm(id=f"{draw.getrandbits(40):010x}", rater=rater, items=named))
    return Questionnaire(
        seed=seed,
        citations=citations,
        systems=tuple(systems),
        criteria=criteria,
        identical=matched.identical,
        forms=tuple(forms),
    )


def _order_answers(
    questions: Sequence[ComparedQuestion], draw: random.Random, shows_documents: bool
) -> Iterator[FormItem]:
    """Each question with its answers in an order by chance: rotations of one order, used up before the next."""
    orders: list[list[str]] = []
    for question, answers in draw.sample(questions, len(questions)):
        if not orders:
            names = draw.sample(list(answers), len(answers))
            orders = [names[at:] + names[:at] for at in range(len(names))]
            draw.shuffle(orders)
        order = tuple(orders.pop())
        shown = tuple(answers[name].documents for name in order) if shows_documents else ()
        yield FormItem(
            kind="question",
            question=question,
            systems=order,
            documented=tuple(name for name, found in zip(order, shown, strict=False) if found),
            texts=tuple(answers[name].text for name in order),
            documents=shown,
        )


def _add_controls(items: list[FormItem], control: ControlQuestion | None, draw: random.Random) -> None:
    """Put one of the first third in again near the end, and the control question somewhere between."""
    chosen = items[draw.randrange((len(items) + 2) // 3)]
    exchanged = {"kind": "repeat"} | {name: getattr(chosen, name)[::-1] for name in ("systems", "texts", "documents")}
    items.insert(len(items) - draw.randrange((len(items) + 2) // 3), chosen.model_copy(update=exchanged))
    if control:
        answers = {RIGHT: control.right, WRONG: control.wrong}
        names = tuple(draw.sample((RIGHT, WRONG), 2))
        texts = tuple(answers[name] for name in names)
        item = FormItem(kind="control", question=control.question, systems=names, texts=texts)
        items.insert(draw.randrange(1, len(items)), item)


# --- forms -----------------------------------------------------------------------------------------------------------


def render_form_csv(form: RatingForm, criteria: RatingCriteria) -> str:
    """A row for each item: what is to be read, then the empty cells that a rater fills."""
    letters, columns = _list_letters(form), _list_columns(form, criteria)
    found = [f"found for {letter}" for letter in letters if any(item.documented for item in form.items)]
    rows = []
    for item in form.items:
        shown = ["\n\n".join(texts) for texts in item.documents] if found else []
        cells = [
            [*texts, *[""] * (len(names) - len(texts))] for names, texts in ((letters, item.texts), (found, shown))
        ]
        rows.append([form.id, item.id, item.question, *cells[0], *cells[1], *[""] * (len(columns) + 1)])
    return render_csv(["form", "item", "question", *letters, *found, *columns, "rater"], rows)


def render_form_page(form: RatingForm, criteria: RatingCriteria) -> str:
    """The page."""
    script, style = ((HERE / f"questionnaire.{ending}").read_text(encoding="utf-8").strip() for ending in ("js", "css"))
    page = (
        _open_templates()
        .get_template("questionnaire.html")
        .render(
            form=form,
            asked=criteria,
            letters=LETTERS,
            preference=PREFERENCE,
            list_choices=_list_choices,
            columns=_list_columns(form, criteria),
            digest=b64encode(sha256(script.encode()).digest()).decode(),
            script=Markup(script),  # noqa: S704 - a file of ours
            style=Markup(style),  # noqa: S704 - a file of ours
        )
    )
    return sanitize_text(page)


@cache
def _open_templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters["answer_text"] = render_answer_text
    return templates


def _list_letters(form: RatingForm) -> str:
    return LETTERS[: max(len(item.texts) for item in form.items)]


def _list_columns(form: RatingForm, criteria: RatingCriteria) -> list[str]:
    """What is said of an item: ratings ("A accuracy"), the preference, a comment."""
    rated = [f"{letter} {one.name}" for letter in _list_letters(form) for one in criteria.criteria]
    return [*rated, *([PREFERENCE] if criteria.preference else []), "comment"]


def _list_choices(item: FormItem, tie: str) -> list[tuple[str, str]]:
    """What may be preferred, in words; to have no preference comes between two answers, and behind more."""
    chosen = [(letter, f"Answer {letter}") for letter in LETTERS[: len(item.texts)]]
    chosen.insert(len(chosen) if len(chosen) > 2 else 1, (TIE, tie))
    return chosen


@cache
def _open_markdown() -> MarkdownIt:
    # Nothing that leads elsewhere, loads something or is HTML is a rule here: it stays the text that it is.
    elsewhere = ["image", "link", "autolink", "html_block", "html_inline", "reference"]
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable(elsewhere)


def render_answer_text(text: str) -> Markup:
    """An answer as HTML: its paragraphs, lists, tables and bold words; headings are bold, links and HTML are text."""
    parser = _open_markdown()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
        if token.type == "heading_open":
            token.attrSet("class", "heading")
    html = str(parser.renderer.render(tokens, parser.options, {}))
    # A wide table scrolls by itself, and a rater without a mouse must be able to reach it.
    opened = '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>'
    html = html.replace("<table>", opened).replace("</table>", "</table></div>")
    return Markup(html)  # noqa: S704 - the parser has escaped it
