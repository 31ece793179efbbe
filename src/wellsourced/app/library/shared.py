"""What several commands on libraries need."""

import click

from wellsourced import config
from wellsourced.errors import SourceRefused

EXIT_FAILED = 1

vectors_option = click.option("--no-vectors", is_flag=True, help="Leave the vectors to `wellsourced library embed`.")


def refuse_guidelines(name: str) -> None:
    """Refuse to change what comes with wellsourced: the next release would undo it without a word."""
    if name == config.GUIDELINES:
        raise SourceRefused("The guidelines come with wellsourced and are not changed: make a library of your own.")
