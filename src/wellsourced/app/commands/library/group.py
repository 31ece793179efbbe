"""`wellsourced library …`: libraries of one's own, and the guidelines, looked at from outside."""

import click

from wellsourced.app.commands.library.ingestion import create
from wellsourced.app.commands.library.inspection import errors, info, list_, verify
from wellsourced.app.commands.library.maintenance import digest, embed_library, rebuild, remove
from wellsourced.app.commands.library.recipes import add, recipes
from wellsourced.app.commands.source import open_, search


@click.group(
    epilog="""
    \b
    Examples:
      wellsourced library create trials --kind research
      wellsourced library add trials pubmed.xml.gz ~/papers
      wellsourced library search trials "colchicine gout flare"
      wellsourced library add medquad --dry-run
      wellsourced library open guidelines doi:10.1161/CIR.0000000000001063
    """
)
def library() -> None:
    """Build, search and look after your own libraries; the one that comes with wellsourced is called "guidelines".

    A library is filled from files and folders: BEIR JSONL (.jsonl, .jsonl.gz), Markdown, plain text, PMC articles
    (.nxml), PubMed XML (.xml, .xml.gz), PDF, Word and web pages; or, by name, from what `library recipes` lists.
    """


for command in (
    create,
    add,
    digest,
    recipes,
    errors,
    embed_library,
    list_,
    info,
    verify,
    remove,
    search,
    open_,
    rebuild,
):
    library.add_command(command)
