"""Which language model writes, if any; whether it answers is tried if the user agrees."""

import asyncio
from collections.abc import Mapping
from typing import Any

from wellsourced.app.setup.walk import SettingAnswers, SetupWalk
from wellsourced.config.model_choice import check_address, complete_model_name, find_model_host, find_model_needs
from wellsourced.config.models import LOCAL, try_models
from wellsourced.errors import SettingsError, WellsourcedError

ABOUT = (
    "Without a language model, answers are the sources' own sentences. With one, it writes them, and what no source "
    "supports is not shown. A model of a provider is sent your questions and what was found; names, dates and the like "
    "are masked in them, as far as they are found."
)
WAYS = (
    ("none", "no language model"),
    ("local:FILE.gguf", "a file on this machine"),
    ("ollama:NAME", "a server on this machine; also llamacpp, lmstudio, vllm"),
    ("openai:NAME", "a provider; also anthropic, azure, bedrock, google, groq, mistral, openrouter"),
    ("compatible:NAME", "any server that speaks as OpenAI does"),
)


def ask_model(walk: SetupWalk) -> SettingAnswers:
    """Who writes, and what that model is asked with. Raises SettingsError for a flag that names none."""
    walk.dialogue.begin_part("Language model", ABOUT)
    if walk.options.model is not None:
        name = check_model_name(walk.options.model)
        answers = settle_model(walk, name)
        # A flag cannot be asked again, so what is wrong with it ends the setup before anything is written.
        if problem := try_model(walk, answers):
            raise SettingsError(problem)
        return answers
    if not walk.is_asked("model"):
        return {}
    walk.dialogue.show_rows(WAYS)
    standing = walk.own.settings.model
    while True:
        standing = walk.dialogue.ask("Language model", standing, check_model_name)
        answers = settle_model(walk, standing)
        problem = try_model(walk, answers)
        if not problem:
            return answers
        walk.dialogue.say(f"{problem} Name another one, or none; Enter tries this one again.")


def check_model_name(typed: str) -> str:
    """The name, "" for none. Raises SettingsError."""
    if typed.lower() in ("", "none"):
        return ""
    find_model_needs(typed)
    return complete_model_name(typed)


def settle_model(walk: SetupWalk, name: str) -> SettingAnswers:
    """A model with what it is asked with; without one, no assistant either, who would have nobody to help."""
    if not name and walk.own.settings.assistant:
        walk.dialogue.say("Without a model there is no assistant either.")
        return {"model": name, "assistant": ""}
    return {"model": name, **ask_access(walk, name)}


def ask_access(walk: SetupWalk, name: str) -> SettingAnswers:
    """The address and the key of a model, as far as it takes any."""
    if not name:
        return {}
    needs = find_model_needs(name)
    url = f"{needs.service}.url"
    answers: SettingAnswers = {}
    if needs.service in walk.options.urls:
        answers[url] = walk.options.urls[needs.service]
    elif needs.example_url and walk.is_asked(url):
        standing = walk.own.settings.find_service(needs.service).url
        answers[url] = walk.dialogue.ask(f"Its address, as in {needs.example_url}", standing, check_address)
    return {**answers, **walk.ask_key(needs.service, needs.service)} if needs.takes_key else answers


def try_model(walk: SetupWalk, answers: Mapping[str, Any]) -> str:
    """Make the model, and ask it one small question if the user agrees; what is wrong with it, "" for nothing."""
    name = answers["model"]
    # The assistant may be one that cannot be made yet; it is not what is tried here.
    settings = walk.load({**answers, "assistant": ""})
    if not name:
        return ""
    try:
        host = find_model_host(name, settings)
    except SettingsError as error:
        # A key may come later, from the environment.
        walk.dialogue.say(f"It is not tried: {error.phrase}.")
        return ""
    if settings.network.offline and host:
        walk.dialogue.tell(f"{name} was not tried: nothing may leave this machine (network.offline).")
        return ""
    agreed = agree_to_trial(walk, host)
    # Making a local model reads its whole file; a remote one is made in no time, which finds a missing package.
    if not agreed and name.startswith(f"{LOCAL}:"):
        return ""
    if agreed:
        walk.dialogue.say(f"Asking {name} …")
    try:
        (trial,) = asyncio.run(try_models(settings, agreed))
    except WellsourcedError as error:
        return f"{error.phrase}."
    if agreed and not trial.error:
        walk.dialogue.tell(f"{name} answered in {trial.seconds:.1f} s.")
    return trial.error and f"{name} does not answer: {trial.error}"


def agree_to_trial(walk: SetupWalk, host: str) -> bool:
    """Whether the user wants the model tried."""
    # A trial may cost money and sends words away: with nobody there to agree, only the flag does.
    if walk.options.try_model is not None or not walk.dialogue.is_open:
        return bool(walk.options.try_model)
    goes = f"It goes to {host}, and may cost a little" if host else "Loading the file takes a moment"
    return walk.dialogue.confirm(f"Try it with one small question? {goes}.", default=False)
