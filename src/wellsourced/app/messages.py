"""The messages of the terminal: what to do next, spelled as a command."""

from wellsourced.errors import NextStep, NextStepKind

RUN: dict[NextStepKind, str] = {
    "create library": "library create {name} --add PATH",
    "add files": "library add {name} PATH",
    "add recipe": "library add {name}",
    "embed library": "library embed {name}",
    "rebuild library": "library rebuild {name}",
    "verify library": "library verify {name}",
    "retry files": "library errors {name} --retry",
    "list libraries": "library list",
    "list settings": "settings",
    "list presets": "presets",
    "list judges": "judges list",
    "list history": "runs list",
    "install judge": "judges install PATH|URL",
    "remove judge": "judges remove {name}",
    "calibrate judge": "judges calibrate {name} --pairs FILE",
    "set up": "setup",
    "trust folder": "trust {name}",
    "remove telemetry": "doctor --remove-telemetry",
    "list live sources": "source list",
    "list contacted hosts": "egress",
}
"""What to do → the command that does it; {name} is the value of the step."""

DO: dict[NextStepKind, str] = {
    "choose model": "Name a language model: --model ollama:NAME, local:FILE.gguf, openai:NAME …",
    "set key": "Set the key: --set {name}.key=KEY, or WELLSOURCED_{NAME}__KEY in the environment.",
    "go online": "Leave out --offline, or set network.offline=false.",
    "allow identifiers": "Send it with identifiers masked: --phi mask.",
    "install extra": "Install it: pip install 'wellsourced[{name}]'",
    "rephrase": "Ask one thing at a time, in other words.",
    "read hits": "Read what was found: wellsourced search QUESTION",
    "search research": "Search research too (words of the question leave this machine): wellsourced ask --live pubmed QUESTION",
    "show receipt": "Details: --receipt",
    "show json": "All of it: --json",
    "check sources": "Check what is searched: wellsourced doctor",
    "move home": "Make the folder writable, or set WELLSOURCED_HOME to another one.",
    "free disk": "Free some disk space before you add documents.",
    "close folder": "Close it, if it is yours: chmod -R go= {name}",
    "update plugin": "Update {name}, or remove it.",
}
"""What to do that is no command of its own → a sentence."""


def spell_next_step(step: NextStep | None) -> str:
    """Say at the terminal what to do next; "" for nothing."""
    if step is None:
        return ""
    if step.kind == "change setting":
        return f"Use --set {step.value}." if "=" in step.value else f"Change the setting {step.value}."
    values = {"name": step.value or "NAME", "NAME": step.value.upper()}
    if step.kind in RUN:
        return f"Run: wellsourced {RUN[step.kind].format_map(values)}"
    return DO[step.kind].format_map(values)
