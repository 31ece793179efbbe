"""`wellsourced library …`: your own files, and the built-in guidelines."""

import click

from wellsourced.app.command_group import TableGroup


@click.group(
    cls=TableGroup,
    path="library",
    epilog="""
    \b
    Examples:
      wellsourced library create trials --kind research
      wellsourced library add trials pubmed.xml.gz ~/papers
      wellsourced search --library trials "colchicine gout flare"
      wellsourced library add medquad --dry-run
    """,
)
def library() -> None:
    """Create, fill and maintain libraries of your own files.

    Libraries take PDF, Word, web pages, Markdown, plain text, JSON lines, PubMed XML and PMC articles. Public
    collections are added by name: `wellsourced library recipes` lists them.
    """
