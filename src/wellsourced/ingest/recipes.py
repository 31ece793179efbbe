"""Bodies of knowledge that a library or the graph can be filled with by name: what each is, and where it comes from.

Sizes are what the publishers say, or what their files came to, in 2025 and 2026; they grow. Where a publisher gives a
list of files, the sizes in that list count instead.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from wellsourced.readers.concepts.hpo import hpo_files
from wellsourced.types import SourceKind

MB, GB = 1_000_000, 1_000_000_000


class Recipe(NamedTuple):
    """One body of knowledge.

    licence    in words for whoever uses it
    goes       into a library of this kind, or into the graph
    url        folder on the publisher's server; "" when it is given only to who has agreed to its licence
    files      addresses of files, relative to `url`; or else
    listing    where the list of files is, HTML, JSON or CSV; "": what the server shows in that folder
    pattern    which names of that list are wanted (a regular expression)
    publisher  whose books are wanted of a list of NCBI's Bookshelf (a regular expression)
    newest     take the last name of the list alone: each file is a whole edition
    members    which files of its archives are wanted (a regular expression over their paths)
    nested     archives lie in its archives, one in each
    member_limit  bytes of one file of an archive, where it may be more than readers read in one piece; 0: it is not
    sums       where checksums are: ".md5" beside each file, else the name of a list of them; "" when there are none
    download   bytes of all files; 0 when nobody says
    disk       bytes that are needed in all: files, what they unpack to, library without vectors; 0 when nobody says
    by_hand    how to get the files oneself
    shipped    files that came with an installed package; raises SettingsError when it is not installed
    library    the library that it fills when no other is named; "": one of its own name
    """

    name: str
    about: str
    licence: str
    goes: SourceKind
    url: str = ""
    files: tuple[str, ...] = ()
    listing: str = ""
    pattern: str = ""
    publisher: str = ""
    newest: bool = False
    members: str = r".*\.n?xml"
    nested: bool = False
    member_limit: int = 0
    sums: str = ""
    download: int = 0
    disk: int = 0
    by_hand: str = ""
    shipped: Callable[[], list[Path]] = list
    library: str = ""

    @property
    def library_name(self) -> str:
        """The name of the library that it fills; "" when it goes into the graph."""
        return "" if self.goes == "graph" else self.library or self.name


NLM_LICENCE = (
    "Free to use, with “Courtesy of the U.S. National Library of Medicine”; publishers may hold copyright of abstracts"
)
PUBMED_NAMES = r"pubmed[0-9]{2}n[0-9]{4}\.xml\.gz"
LITARCH = "https://ftp.ncbi.nlm.nih.gov/pub/litarch/"
OBO_URL = "https://purl.obolibrary.org/obo/"

RECIPES = (
    Recipe(
        name="pubmed-baseline",
        about="All PubMed records as of last December: about 38 million citations, most with an abstract",
        licence=NLM_LICENCE,
        goes="research",
        url="https://ftp.ncbi.nlm.nih.gov/pubmed/baseline/",
        pattern=PUBMED_NAMES,
        sums=".md5",
        download=45 * GB,
        disk=200 * GB,
    ),
    Recipe(
        name="pubmed-updates",
        about="Daily additions, revisions and deletions since the PubMed baseline",
        licence=NLM_LICENCE,
        goes="research",
        url="https://ftp.ncbi.nlm.nih.gov/pubmed/updatefiles/",
        pattern=PUBMED_NAMES,
        sums=".md5",
        # What is deleted has to be where the baseline is.
        library="pubmed-baseline",
    ),
    Recipe(
        name="pmc-oa",
        about="Full text of open-access PMC articles, from Europe PMC, renewed weekly",
        licence="Each article has its own, most of them Creative Commons; some forbid commercial use",
        goes="research",
        # PMC itself gives single files only since August 2026 (NLM Technical Bulletin 2026, 468, e8).
        url="https://europepmc.org/ftp/oa/",
        pattern=r"PMC[0-9]+_PMC[0-9]+\.xml\.gz|oa_(comm|noncomm|other)_xml\.[\w.-]+\.tar\.gz",
    ),
    Recipe(
        name="medquad",
        about="Patients' questions with answers from nine NIH sites (2019)",
        licence="CC BY 4.0 (Ben Abacha and Demner-Fushman, BMC Bioinformatics 2019)",
        goes="consumer",
        url="https://github.com/abachaa/MedQuAD/archive/refs/heads/",
        files=("master.zip",),
        download=20 * MB,
        disk=300 * MB,
    ),
    Recipe(
        name="wikipedia",
        about="The English Wikipedia, all articles",
        licence="CC BY-SA 4.0, and GFDL for older text",
        goes="wiki",
        url="https://dumps.wikimedia.org/enwiki/latest/",
        pattern=r"enwiki-latest-pages-articles[0-9]+\.xml-p[0-9]+p[0-9]+\.bz2",
        sums="enwiki-latest-sha1sums.txt",
        download=24 * GB,
        disk=150 * GB,
    ),
    Recipe(
        name="statpearls",
        about="StatPearls: about 9,000 chapters on diseases, drugs and procedures, from NCBI's Bookshelf",
        licence="CC BY-NC-ND 4.0, StatPearls Publishing: no commercial use, no modified copies",
        goes="book",
        url="https://ftp.ncbi.nlm.nih.gov/pub/litarch/3d/12/",
        files=("statpearls_NBK430685.tar.gz",),
        download=1_600 * MB,
        disk=4 * GB,
    ),
    Recipe(
        name="who-guidelines",
        about="Guidelines and reports of the World Health Organization, from NCBI's Bookshelf",
        licence="Mostly CC BY-NC-SA 3.0 IGO: no commercial use; each book says its own",
        goes="guideline",
        url=LITARCH,
        listing="file_list.csv",
        pattern=r"[\w.-]+\.tar\.gz",
        publisher=r"World Health Organization.*",
    ),
    Recipe(
        name="cdc-recommendations",
        about="Recommendations and Reports of the US Centers for Disease Control and Prevention (MMWR), 2018 on",
        licence="Public domain; name the source: CDC",
        goes="guideline",
        url="https://www.cdc.gov/mmwr/",
        listing=" ".join(f"indrr_{year}.html" for year in range(2018, 2027)),
        pattern=r"rr[0-9]{4}[a-z][0-9]\.htm",
    ),
    Recipe(
        name="markdown-guidelines",
        about="Any collection of guidelines in Markdown that is given as an archive",
        licence="Its own",
        goes="guideline",
        by_hand="Name the archive: --from https://…/main.zip, or add its folder",
        members=r".*\.(md|markdown)",
    ),
    Recipe(
        name="dailymed",
        about="Labels of all human prescription drugs in the US, as the FDA has them now",
        licence="Public domain, with “Courtesy of the U.S. National Library of Medicine”",
        goes="guideline",
        url="https://dailymed-data.nlm.nih.gov/public-release-files/",
        listing="https://dailymed.nlm.nih.gov/dailymed/spl-resources-all-drug-labels.cfm",
        pattern=r"dm_spl_release_human_rx_part[0-9]+\.zip",
        nested=True,
        download=16 * GB,
        disk=120 * GB,
    ),
    Recipe(
        name="openfda-labels",
        about="Labels of prescription and over-the-counter drugs in the US, as openFDA gives them each week",
        licence="CC0 1.0; not validated for clinical use",
        goes="guideline",
        url="https://download.open.fda.gov/drug/label/",
        listing="https://api.fda.gov/download.json",
        pattern=r"drug-label-[0-9]{4}-of-[0-9]{4}\.json\.zip",
        members=r".*\.json",
        member_limit=4 * GB,
        download=1_700 * MB,
        disk=40 * GB,
    ),
    Recipe(
        name="medlineplus",
        about="Health topics of MedlinePlus: about 2,000 pages for patients, in English and Spanish",
        licence="Public domain, with “Information from MedlinePlus.gov”",
        goes="consumer",
        url="https://medlineplus.gov/xml/",
        listing="https://medlineplus.gov/xml.html",
        pattern=r"mplus_topics_compressed_[0-9-]{10}\.zip",
        newest=True,
        download=5 * MB,
        disk=100 * MB,
    ),
    Recipe(
        name="do",
        about="The Human Disease Ontology: names, definitions and hierarchy of diseases",
        licence="CC0 1.0",
        goes="graph",
        url=OBO_URL,
        files=("doid.obo",),
        download=10 * MB,
        disk=100 * MB,
    ),
    Recipe(
        name="mondo",
        about="The Mondo Disease Ontology: diseases across OMIM, Orphanet, MeSH, SNOMED CT and others",
        licence="CC BY 4.0",
        goes="graph",
        url=OBO_URL,
        files=("mondo.obo",),
        download=60 * MB,
        disk=400 * MB,
    ),
    Recipe(
        name="hpo",
        about="The Human Phenotype Ontology: findings, with the diseases and genes that show them",
        licence="The HPO's own: free to use unchanged, with its name and release (https://hpo.jax.org/license)",
        goes="graph",
        url=OBO_URL,
        files=("hp.obo", "hp/hpoa/phenotype.hpoa", "hp/hpoa/genes_to_phenotype.txt"),
        download=70 * MB,
        disk=400 * MB,
        shipped=hpo_files,
    ),
    Recipe(
        name="mesh",
        about="MeSH, PubMed's subject headings: names, scope notes and tree positions",
        licence="Free to use, with “Courtesy of the U.S. National Library of Medicine”",
        goes="graph",
        # NLM shows the files of this year, and from November on those of the next.
        url="https://nlmpubs.nlm.nih.gov/projects/mesh/MESH_FILES/xmlmesh/",
        pattern=r"desc[0-9]{4}\.xml",
        download=310 * MB,
        disk=500 * MB,
    ),
    Recipe(
        name="umls",
        about="The UMLS Metathesaurus: concepts of 190 vocabularies, with names, definitions and relations",
        licence="UMLS licence with the NLM, which every user signs; some vocabularies have their own terms",
        goes="graph",
        by_hand=(
            "Sign in at https://www.nlm.nih.gov/research/umls/ and download a release. Unpack it and name its "
            "folder META "
            "(MRCONSO.RRF, MRSTY.RRF, MRDEF.RRF, MRREL.RRF)"
        ),
        disk=60 * GB,
    ),
    Recipe(
        name="drugbank",
        about="DrugBank: drugs with indication, pharmacodynamics, absorption and interactions",
        licence="DrugBank's own: academic use after approval (CC BY-NC 4.0), otherwise a commercial licence",
        goes="graph",
        by_hand="Request it at https://go.drugbank.com/releases, then download and unpack “full database.xml”",
        disk=5 * GB,
    ),
)
