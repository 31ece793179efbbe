"""`wellsourced evaluate clinical`: cases whose right answer is known, run through the program as it is."""

import asyncio
from pathlib import Path

import click

from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.terminal import print_data
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.commands.common import EXISTING_FOLDER


@click.command(
    short_help="Measure answers, checks and warnings on our cases.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate clinical
      wellsourced evaluate clinical questions --data ../shared/data --limit 40 --show
      wellsourced evaluate clinical questions evaluate/data/clinical_cases/questions_blind_12.jsonl --twice
      wellsourced evaluate clinical patients --cases-home HOME
    """,
)
@click.argument("name", metavar="[SET]", default="")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=EXISTING_FILE)
@click.option("--data", type=EXISTING_FOLDER, help="The folder of the development data.")
@click.option(
    "--cases-home", "home", type=EXISTING_FOLDER, help="Also ask the libraries of this home, not only the guidelines."
)
@click.option("--skip", type=click.IntRange(min=0), default=0, help="Skip this many cases of each file.")
@click.option("--limit", type=click.IntRange(min=0), default=0, help="Number of cases of each file; 0 takes all.")
@click.option("--twice", is_flag=True, help="Also ask questions in another scope; see `questions`.")
@click.option("--show", is_flag=True, help="Print the outcome of each case.")
@json_option
def clinical(
    *,
    name: str,
    files: tuple[Path, ...],
    data: Path | None,
    home: Path | None,
    skip: int,
    limit: int,
    twice: bool,
    show: bool,
    as_json: bool,
) -> None:
    """Run the cases of SET and count the results; without SET, list the sets.

    The cases come with the repository (evaluate/data). FILE has others of the same form.
    """
    # What is measured takes a second to load.
    from wellsourced_evaluate.clinical.cases import CASE_SETS
    from wellsourced_evaluate.clinical.marks import CaseFigure, CaseMarks, CaseOptions, add_marks
    from wellsourced_evaluate.recorded_rows import to_plain

    if not name:
        told = {one: (measure.__doc__ or "").partition("\n\n")[0] for one, measure in CASE_SETS.items()}
        click.echo("\n".join(f"{one:<18} {' '.join(about.split())}" for one, about in told.items()))
        return
    if name not in CASE_SETS:
        raise click.UsageError(f"No set “{name}”. Sets: {', '.join(CASE_SETS)}.")

    async def measure() -> list[CaseFigure]:
        figures, part = list[CaseFigure](), list[CaseMarks]()

        def end_part() -> None:
            figures.extend(told := [*add_marks(part)])
            if not as_json:
                click.echo(
                    "\n".join([*([f"\n{told[0].part}"] if told[0].part else []), *(one.describe() for one in told)])
                )
            part.clear()

        async for one in CASE_SETS[name](CaseOptions(files, data, home, skip, limit, twice)):
            if part and one.part != part[0].part:
                end_part()
            part.append(one)
            if show and one.told and not as_json:
                click.echo(f"--- {sanitize_line(one.id)}\n{one.told}\n    {dict(one.marks)}")
        if part:
            end_part()
        return figures

    figures = asyncio.run(measure())
    if as_json:
        print_data(to_plain(figures))
