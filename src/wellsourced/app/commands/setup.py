"""`wellsourced setup`: the questions for a new user, at a terminal or answered by flags, and the settings file that
comes of it.
"""

import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app import setup_questions
from wellsourced.app.commands.library.recipes import RecipeOptions, run_recipe
from wellsourced.app.exits import EXIT_FAILURE, EXIT_INTERRUPTED, describe_error, exit_on_interrupt, handle_interrupt
from wellsourced.app.options import pack_options, parse_key_values
from wellsourced.app.setup_dialogue import Dialogue, SettingAnswers, SetupOptions, SetupWalk, check_key, is_terminal
from wellsourced.config.loader import load_own
from wellsourced.config.models import check_address, find_model_host
from wellsourced.config.network import describe_missing_setup
from wellsourced.config.own_settings import FileChange, format_toml, own_settings_path, plan_changes, write_changes
from wellsourced.config.settings import SERVICE_NAMES
from wellsourced.errors import SettingsError, WellsourcedError
from wellsourced.text.sanitization import sanitize_line

if TYPE_CHECKING:
    from wellsourced.ingest.recipes import Recipe


NEXT = 'wellsourced ask "How is an acute gout flare treated?"'
STOPPED = "stopped: nothing was written, and everything is as it was."
NO_TERMINAL = (
    "There is no terminal to ask at: give the answers as flags, and --yes, as in "
    "`wellsourced setup --yes --model ollama:qwen3 --live pubmed --email name@example.org`."
)
WELCOME = (
    "A few questions. Enter keeps what stands in brackets. Nothing is written before the end, nothing goes over the "
    "network unless you say yes to it, and Ctrl-C leaves everything as it was."
)


def join_names(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> str | None:
    """Names of a flag that can be repeated, as somebody types them; None without any."""
    return ",".join(names) if names else None


def read_keys(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Service → the key in the first line of its file."""
    keys = {}
    for service, name in parse_services(ctx, param, pairs).items():
        try:
            with click.open_file(name, encoding="utf-8") as file:
                keys[service] = check_key(file.readline().strip())
        # The message names the file and never its content: it may be a key that is merely mistyped.
        except (OSError, UnicodeDecodeError, SettingsError) as error:
            raise click.BadParameter(f"{name} has no key in its first line, or cannot be read.") from error
    return keys


def read_addresses(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Service → its address."""
    try:
        return {service: check_address(url) for service, url in parse_services(ctx, param, pairs).items()}
    except SettingsError as error:
        raise click.BadParameter(str(error)) from error


def parse_services(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """SERVICE=VALUE pairs as a dict."""
    # Before pairs are split: parse_key_values would speak of KEY=VALUE, which is not how this flag is written.
    if missing := [pair for pair in pairs if "=" not in pair]:
        raise click.BadParameter(f"“{missing[0]}” is not SERVICE=…, for example pubmed=…")
    values = parse_key_values(ctx, param, pairs)
    if unknown := values.keys() - {*SERVICE_NAMES}:
        raise click.BadParameter(f"There is no service “{min(unknown)}”; there is {', '.join(SERVICE_NAMES)}.")
    return values


add_setup_options = pack_options(
    "options",
    SetupOptions,
    (
        click.option("--email", metavar="ADDRESS", help="Told to NCBI and Crossref; none: nothing is told."),
        click.option(
            "--live",
            metavar="NAME",
            multiple=True,
            callback=join_names,
            help="Search this over the network, always; repeatable; none: nothing.",
        ),
        click.option(
            "--key-file",
            "keys",
            metavar="SERVICE=FILE",
            multiple=True,
            callback=read_keys,
            help="The key of a service is the first line of FILE (-: standard input); repeatable.",
        ),
        click.option(
            "--url",
            "urls",
            metavar="SERVICE=ADDRESS",
            multiple=True,
            callback=read_addresses,
            help="The address of a service, such as compatible, azure, searxng; repeatable.",
        ),
        click.option(
            "--collection",
            "collections",
            metavar="NAME",
            multiple=True,
            callback=join_names,
            help="Fetch this collection: `wellsourced library recipes` lists them; repeatable.",
        ),
        click.option(
            "--mirror",
            "mirrors",
            metavar="NAME=URL",
            multiple=True,
            callback=parse_key_values,
            help="Fetch the collection NAME from this mirror; repeatable.",
        ),
        click.option(
            "--try-model/--no-try-model",
            "try_model",
            default=None,
            help="Ask the model one small question, which may cost something.",
        ),
        click.option("--yes", is_flag=True, help="Ask nothing: what no flag answers stays as it is."),
    ),
)


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced setup
      wellsourced setup --model ollama:qwen3 --try-model
      wellsourced setup --yes --live pubmed --live europe_pmc --email name@example.org
      wellsourced setup --yes --model anthropic:claude-sonnet-5 --key-file anthropic=key.txt
      wellsourced setup --yes --model none --home ~/medicine --collection medquad
    """
)
@add_setup_options
@click.pass_context
def setup(ctx: click.Context, options: SetupOptions) -> None:
    """Ask what a new user should be asked, and write the answers into your wellsourced.toml.

    Which language model writes, if any (--model NAME), what is searched over the network, with which e-mail address
    and keys, where things lie (--home DIR), and which collections are fetched. Only what differs from the defaults is
    written, and what stands in the file stays. It can be run again at any time. --set, --preset and the like hold for
    this run, and are not written.
    """
    if not options.yes and not is_terminal():
        raise SettingsError(NO_TERMINAL)
    # --model and --home are answers here, which are written; all other flags hold for this run only.
    session = {name: value for name, value in ctx.obj.items() if name not in ("model", "home")}
    options = options._replace(model=ctx.obj.get("model"), home=ctx.obj.get("home"))
    walk = SetupWalk(Dialogue(is_open=not options.yes), load_own(), options, session)
    try:
        # A terminal that hides a key has to show again what is typed.
        with handle_interrupt(signal.default_int_handler):
            answers, collections = ask_everything(walk)
            changes = plan_changes(answers, walk.own)
            agreed = confirm_changes(walk, changes, collections)
    except (click.Abort, KeyboardInterrupt):
        click.echo(f"\nwellsourced: {STOPPED}", err=True)
        ctx.exit(EXIT_INTERRUPTED)
    if not agreed:
        click.echo("Nothing was written: everything is as it was.")
        return
    failed = carry_out(ctx, walk, answers, changes, collections)
    ctx.exit(EXIT_FAILURE if failed else 0)


def carry_out(
    ctx: click.Context,
    walk: SetupWalk,
    answers: SettingAnswers,
    changes: list[FileChange],
    collections: "Sequence[Recipe]",
) -> list[str]:
    """Write what changes, fetch the collections, say what is next; the collections that were not fetched to their end.

    Raises SettingsError when the file cannot be written; then nothing is done.
    """
    # Settings are written before anything is fetched: a download that is stopped does not lose the answers.
    if changes:
        click.echo(f"Written, for you alone to read: {sanitize_line(str(write_changes(changes)))}")
    is_ready = report_remainder(walk, answers)
    settings = load_with_home(walk, answers)
    failed = [recipe.name for recipe in collections if not fetch_collection(ctx, walk, settings, recipe)]
    for name in failed:
        click.echo(f"{name} was not fetched to its end: `wellsourced library add {name}` goes on.", err=True)
    click.echo(f"\nIn a browser: wellsourced serve\n{'Next' if is_ready else 'Then'}: {NEXT}")
    return failed


def ask_everything(walk: SetupWalk) -> "tuple[SettingAnswers, list[Recipe]]":
    """All answers, and the collections that are to be fetched. Raises SettingsError for a flag that is wrong."""
    walk.dialogue.introduce("wellsourced setup", WELCOME)
    answers = {f"{service}.url": url for service, url in walk.options.urls.items()}
    answers |= {f"{service}.key": key for service, key in walk.options.keys.items()}
    answers |= setup_questions.ask_model(walk)
    answers |= setup_questions.ask_sources(walk)
    answers |= setup_questions.ask_contact(walk, tuple(answers.get("live", walk.own.settings.live)))
    answers |= setup_questions.ask_home(walk)
    return answers, setup_questions.ask_collections(walk, load_with_home(walk, answers))


def load_with_home(walk: SetupWalk, answers: SettingAnswers) -> config.Settings:
    """The settings by which collections are fetched: those that hold here, and the folder that was chosen."""
    return walk.load({name: value for name, value in answers.items() if name == "home"})


def confirm_changes(walk: SetupWalk, changes: Sequence[FileChange], collections: "Sequence[Recipe]") -> bool:
    """Show what would be done, and whether that is wished."""
    path = sanitize_line(str(own_settings_path()))
    walk.dialogue.introduce("What will be done")
    if changes:
        click.echo(f"Into {path}:")
        click.echo("\n".join(f"  {sanitize_line(describe_change(change))}" for change in changes))
    else:
        click.echo(f"Nothing is to be changed in {path}.")
    if collections:
        walk.dialogue.tell(f"To be fetched: {setup_questions.describe_fetch(collections, dict(walk.options.mirrors))}.")
    # With --yes, or with nothing to do, there is nothing to agree to.
    if not (changes or collections) or not walk.dialogue.is_open:
        return True
    return walk.dialogue.confirm("Go on?", default=True)


def describe_change(change: FileChange) -> str:
    """A setting as it will stand; keys are shown to nobody."""
    if change.value is None:
        return f"{change.name}: taken out; the default holds"
    return f"{change.name} = {'(not shown)' if change.name.endswith('.key') else format_toml(change.value)}"


def report_remainder(walk: SetupWalk, answers: SettingAnswers) -> bool:
    """Say what of the answers does not count here, and what is still lacking; whether a question can be asked now."""
    for name in sorted(answers.keys() & walk.own.overruled.keys()):
        walk.dialogue.tell(f"Here {name} is given {walk.own.overruled[name]}, which counts more than your file.")
    settings = walk.load({})
    for name in settings.live:
        if reason := describe_missing_setup(name, settings):
            walk.dialogue.tell(f"{name} cannot be searched yet: {reason}.")
    try:
        if settings.model:
            find_model_host(settings.model, settings)
    except SettingsError as error:
        walk.dialogue.tell(f"{settings.model} cannot be asked yet: {error.phrase}.")
        return False
    return True


def fetch_collection(ctx: click.Context, walk: SetupWalk, settings: config.Settings, recipe: "Recipe") -> bool:
    """Fetch a collection as `library add` does; whether it came to its end."""
    # Of one whose size nobody said, it is asked once more when its list of files is here.
    wish = RecipeOptions(
        mirror=walk.options.mirrors.get(recipe.name, ""), yes=bool(recipe.download) or not walk.dialogue.is_open
    )
    stopped = f"stopped: your settings are written, and `wellsourced library add {recipe.name}` goes on."
    click.echo(f"\nFetching {recipe.name}.")
    try:
        with exit_on_interrupt(stopped):
            run_recipe(ctx, settings, recipe, wish, as_json=False)
    # `library add` ends a process with its status; here other collections may still follow.
    except click.exceptions.Exit as ended:
        return ended.exit_code == 0
    except click.Abort:
        return False
    except (WellsourcedError, OSError) as error:
        click.echo(f"wellsourced: {describe_error(error)}", err=True)
        return False
    return True
