"""The walk through `wellsourced setup`: every question, what would be written, and then the writing and fetching."""

import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app import setup_messages as messages
from wellsourced.app import setup_questions
from wellsourced.app.commands.library.recipes import RecipeOptions, run_recipe
from wellsourced.app.exits import EXIT_FAILURE, EXIT_INTERRUPTED, describe_error, exit_on_interrupt, handle_interrupt
from wellsourced.app.setup_dialogue import Dialogue, SettingAnswers, SetupWalk, is_terminal
from wellsourced.app.setup_options import SetupOptions
from wellsourced.config.loader import load_own
from wellsourced.config.models import find_model_host
from wellsourced.config.network import describe_missing_setup
from wellsourced.config.own_settings import FileChange, format_toml, own_settings_path, plan_changes, write_changes
from wellsourced.errors import SettingsError, WellsourcedError
from wellsourced.text.sanitization import sanitize_line

if TYPE_CHECKING:
    from wellsourced.ingest.recipes import Recipe


def run_setup(ctx: click.Context, options: SetupOptions) -> None:
    """Ask, show what would be done, and do it. Raises SettingsError for a flag that is wrong."""
    if not options.yes and not is_terminal():
        raise SettingsError(messages.NO_TERMINAL)
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
        click.echo(f"\nwellsourced: {messages.STOPPED}", err=True)
        ctx.exit(EXIT_INTERRUPTED)
    if not agreed:
        click.echo(messages.NOTHING_WRITTEN)
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
    """Write what changes, fetch the collections, and say what is next. Returns the collections that failed.

    Raises SettingsError when the file cannot be written; then nothing is done.
    """
    # Settings are written before anything is fetched: a download that is stopped does not lose the answers.
    if changes:
        click.echo(sanitize_line(messages.report_writing(write_changes(changes))))
    is_ready = report_remainder(walk, answers)
    settings = load_with_home(walk, answers)
    failed = [recipe.name for recipe in collections if not fetch_collection(ctx, walk, settings, recipe)]
    for name in failed:
        click.echo(messages.report_incomplete(name), err=True)
    click.echo(f"\n{messages.NEXT if is_ready else messages.THEN}")
    return failed


def ask_everything(walk: SetupWalk) -> "tuple[SettingAnswers, list[Recipe]]":
    """Return all answers, and the collections to fetch. Raises SettingsError for a flag that is wrong."""
    walk.dialogue.introduce("wellsourced setup", messages.WELCOME)
    answers = {f"{service}.url": url for service, url in walk.options.urls.items()}
    answers |= {f"{service}.key": key for service, key in walk.options.keys.items()}
    answers |= setup_questions.ask_model(walk)
    answers |= setup_questions.ask_sources(walk)
    answers |= setup_questions.ask_contact(walk, tuple(answers.get("live", walk.own.settings.live)))
    answers |= setup_questions.ask_home(walk)
    return answers, setup_questions.ask_collections(walk, load_with_home(walk, answers))


def load_with_home(walk: SetupWalk, answers: SettingAnswers) -> config.Settings:
    """Return the settings that fetch collections: those that hold here, in the folder that was chosen."""
    return walk.load({name: value for name, value in answers.items() if name == "home"})


def confirm_changes(walk: SetupWalk, changes: Sequence[FileChange], collections: "Sequence[Recipe]") -> bool:
    """Show what would be done, and ask whether to do it."""
    path = sanitize_line(str(own_settings_path()))
    walk.dialogue.introduce(messages.PLAN)
    if changes:
        click.echo(messages.changes_to(path))
        click.echo("\n".join(f"  {sanitize_line(describe_change(change))}" for change in changes))
    else:
        click.echo(messages.no_changes_to(path))
    if collections:
        walk.dialogue.tell(messages.to_fetch(setup_questions.describe_fetch(collections, dict(walk.options.mirrors))))
    # With --yes, or with nothing to do, there is nothing to agree to.
    if not (changes or collections) or not walk.dialogue.is_open:
        return True
    return walk.dialogue.confirm(messages.CONTINUE, default=True)


def describe_change(change: FileChange) -> str:
    """Describe a setting after the change; keys are hidden."""
    if change.value is None:
        return messages.describe_removal(change.name)
    return f"{change.name} = {messages.HIDDEN if change.name.endswith('.key') else format_toml(change.value)}"


def report_remainder(walk: SetupWalk, answers: SettingAnswers) -> bool:
    """Say which answers do not count here, and what is missing. Returns whether a question can be asked now."""
    for name in sorted(answers.keys() & walk.own.overruled.keys()):
        walk.dialogue.tell(messages.explain_override(name, walk.own.overruled[name]))
    settings = walk.load({})
    for name in settings.live:
        if reason := describe_missing_setup(name, settings):
            walk.dialogue.tell(messages.not_ready(name, reason))
    try:
        if settings.model:
            find_model_host(settings.model, settings)
    except SettingsError as error:
        walk.dialogue.tell(messages.not_ready(settings.model, error.phrase))
        return False
    return True


def fetch_collection(ctx: click.Context, walk: SetupWalk, settings: config.Settings, recipe: "Recipe") -> bool:
    """Fetch a collection as `library add` does. Returns whether it was completed."""
    # Without a known size it has to be confirmed once more when its list of files is here.
    wish = RecipeOptions(
        mirror=walk.options.mirrors.get(recipe.name, ""), yes=bool(recipe.download) or not walk.dialogue.is_open
    )
    click.echo(f"\n{messages.fetching(recipe.name)}")
    try:
        with exit_on_interrupt(messages.fetch_stopped(recipe.name)):
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
