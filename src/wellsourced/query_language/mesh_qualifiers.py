"""The subheadings of MeSH, by the two letters that both languages know them by (NLM, MeSH Qualifiers)."""

QUALIFIER_CODES = {
    "ab": "abnormalities", "ad": "administration & dosage", "ae": "adverse effects", "ag": "agonists",
    "ah": "anatomy & histology", "ai": "antagonists & inhibitors", "aa": "analogs & derivatives", "an": "analysis",
    "bi": "biosynthesis", "bl": "blood", "bs": "blood supply", "cf": "cerebrospinal fluid", "ch": "chemistry",
    "ci": "chemically induced", "cl": "classification", "cn": "congenital", "co": "complications",
    "cs": "chemical synthesis", "ct": "contraindications", "cy": "cytology", "de": "drug effects",
    "df": "deficiency", "dg": "diagnostic imaging", "dh": "diet therapy", "di": "diagnosis", "du": "diagnostic use",
    "dt": "drug therapy", "ec": "economics", "ed": "education", "eh": "ethnology", "em": "embryology",
    "en": "enzymology", "ep": "epidemiology", "es": "ethics", "et": "etiology", "ge": "genetics",
    "gd": "growth & development", "hi": "history", "im": "immunology", "in": "injuries",
    "ip": "isolation & purification", "ir": "innervation", "is": "instrumentation", "lj": "legislation & jurisprudence",
    "ma": "manpower", "me": "metabolism", "mi": "microbiology", "mo": "mortality", "mt": "methods", "nu": "nursing",
    "og": "organization & administration", "pa": "pathology", "pc": "prevention & control", "pd": "pharmacology",
    "ph": "physiology", "pk": "pharmacokinetics", "po": "poisoning", "pp": "physiopathology", "ps": "parasitology",
    "px": "psychology", "py": "pathogenicity", "ra": "radiography", "re": "radiation effects", "rh": "rehabilitation",
    "ri": "radionuclide imaging", "rt": "radiotherapy", "sc": "secondary", "sd": "supply & distribution",
    "sn": "statistics & numerical data", "st": "standards", "su": "surgery", "td": "trends", "th": "therapy",
    "tm": "transmission", "to": "toxicity", "tr": "transplantation", "tu": "therapeutic use", "ul": "ultrastructure",
    "ur": "urine", "us": "ultrasonography", "ut": "utilization", "ve": "veterinary", "vi": "virology",
}  # fmt: skip

QUALIFIER_NAMES = frozenset(QUALIFIER_CODES.values()) | {"pathophysiology"}


def find_qualifier(said: str) -> str | None:
    """The name of a subheading by its two letters or its name; None when there is none."""
    name = " ".join(said.lower().replace(" and ", " & ").split())
    return name if name in QUALIFIER_NAMES else QUALIFIER_CODES.get(name)
