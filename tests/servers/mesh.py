"""Headings of MeSH for the E-utilities server, in the form in which esummary (version 1) of db=mesh prints
them."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from tests.servers.entrez_records import Record


def heading(ui: str, name: str, entry_terms: Sequence[str] = (), note: str = "") -> Record:
    """A heading ("D003072") or a supplementary concept ("C000597124") with its entry terms, permuted ones too."""
    id = f"{'68' if ui.startswith('D') else '67'}{ui[1:]}"
    names = [name, *entry_terms]
    listed = "".join(f'\t\t<Item Name="string" Type="String">{escape(one)}</Item>\n' for one in names)
    summary = (
        f"<DocSum>\n\t<Id>{id}</Id>\n"
        f'\t<Item Name="DS_ScopeNote" Type="String">{escape(note)}</Item>\n'
        f'\t<Item Name="DS_MeshTerms" Type="List">\n{listed}\t</Item>\n'
        f'\t<Item Name="DS_MeSHUI" Type="String">{ui}</Item>\n</DocSum>'
    )
    # Between bars, so that a whole term can be told from a part of one.
    fields = {"MESH": f"| {' | '.join(names)} |", "TITL": " | ".join(names), "ABST": note}
    return Record(id, summary.encode(), fields, ())
