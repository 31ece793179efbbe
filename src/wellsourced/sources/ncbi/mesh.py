"""MeSH, live, through NCBI's E-utilities: which heading a term names."""

import re
from collections.abc import Sequence

from pydantic import SecretStr

from wellsourced.errors import SourceRefused
from wellsourced.http import Client
from wellsourced.sources.ncbi.eutils import Eutils
from wellsourced.sources.service_answers import DAY
from wellsourced.text.tokens import tokenize

MAX_RECORDS = 20
"""Records of MeSH that are looked at for one term."""

TERMS_ITEM = "DS_MeshTerms"
"""Where the summary of a record has its names: the heading itself, then its entry terms."""

HEADING_ID_PREFIX = "68"
"""What the numbers of headings begin with at NCBI ("D003072" is 68003072); those of supplementary concepts, with 67."""

SEARCH_FIELDS = ("MeSH Terms:noexp", "Text Word")
"""Where a term is looked for; the second where the first finds nothing that is called so."""


class MeshHeadings:
    """All headings of MeSH. Raises as a live source does; "" only when MeSH says that it has none."""

    name = "MeSH"

    def __init__(self, client: Client, url: str, *, key: SecretStr | None = None, email: str = "") -> None:
        self._eutils = Eutils(client, url, key=key, email=email)

    async def heading(self, term: str) -> str:
        """The heading that a term names: its own words, an entry term, or either of them turned around."""
        for field in SEARCH_FIELDS if tokenize(term) else ():
            if heading := await self._find_heading(term, field):
                return heading
        return ""

    async def explode(self, heading: str) -> list[str]:
        """The heading alone: PubMed itself looks for what stands below it; [] for what is none."""
        known = await self.heading(heading)
        return [known] if known else []

    async def _find_heading(self, term: str, field: str) -> str:
        plain = " ".join(re.sub(r'["\[\]*]', " ", term).split())
        found = await self._eutils.search("mesh", f'"{plain}"[{field}]', MAX_RECORDS, fresh=DAY)
        ids = [id for id in found.ids if id.startswith(HEADING_ID_PREFIX)]
        if not ids:
            return ""
        named = await self._eutils.summaries("mesh", ids, TERMS_ITEM)
        # Found and without names: the form of the answer has changed, and "no such heading" would be false.
        if not any(named.get(id) for id in ids):
            raise SourceRefused(
                f"NCBI found “{plain}” in MeSH and gave no {TERMS_ITEM}: its answer has another form than it had."
            )
        return _choose_heading([named.get(id, ()) for id in ids], tokenize(term))


def _choose_heading(records: Sequence[Sequence[str]], wanted: list[str]) -> str:
    """The heading of the first record that is called so; one that is itself so called before all entry terms."""
    for names in [*(record[:1] for record in records), *records]:
        if any(tokenize(name) == wanted for name in names):
            return names[0]
    return ""
