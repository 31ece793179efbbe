"""The tables of a graph, and the numbers that stand in them for words."""

FORMAT = 1
"""Raised whenever what is stored changes so that older graphs must be made anew."""

BARE, MENTIONED, DESCRIBED = range(3)
"""What is known of a concept: its id alone; a name, from somebody's relation; what its own vocabulary says of it."""

SCOPES = ("preferred", "exact", "abbreviation", "brand", "related", "narrow", "broad", "mentioned")
"""How a name relates to its concept, by the number that is stored."""

LAST_SYNONYM_SCOPE = 3
"""The scopes up to this one mean the same thing."""

SCHEMA = """
CREATE TABLE graph (format INTEGER NOT NULL, indexed INTEGER NOT NULL);
CREATE TABLE files (
    key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    vocabulary TEXT NOT NULL, released TEXT NOT NULL, language TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reading', 'read', 'removing')),
    items INTEGER NOT NULL DEFAULT 0, concepts INTEGER NOT NULL DEFAULT 0, facts INTEGER NOT NULL DEFAULT 0,
    faults INTEGER NOT NULL DEFAULT 0, left_out TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE words (key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE concepts (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL COLLATE NOCASE UNIQUE, name TEXT NOT NULL, state INTEGER NOT NULL,
    file INTEGER NOT NULL
);
CREATE INDEX concepts_state ON concepts (state);
CREATE TABLE names (
    key INTEGER PRIMARY KEY AUTOINCREMENT, concept INTEGER NOT NULL, scope INTEGER NOT NULL, text TEXT NOT NULL,
    folded TEXT NOT NULL, initials TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE VIRTUAL TABLE names_text USING fts5 (
    folded, content = 'names', content_rowid = 'key', tokenize = 'porter unicode61'
);
CREATE TABLE definitions (
    key INTEGER PRIMARY KEY, concept INTEGER NOT NULL, aspect INTEGER NOT NULL, source INTEGER NOT NULL,
    reference TEXT NOT NULL, text TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE TABLE types (key INTEGER PRIMARY KEY, concept INTEGER NOT NULL, type INTEGER NOT NULL, file INTEGER NOT NULL);
CREATE TABLE relations (
    key INTEGER PRIMARY KEY, subject INTEGER NOT NULL, predicate INTEGER NOT NULL, object INTEGER NOT NULL,
    source INTEGER NOT NULL, reference TEXT NOT NULL, detail TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE TABLE links (
    key INTEGER PRIMARY KEY, concept INTEGER NOT NULL, other TEXT NOT NULL COLLATE NOCASE, file INTEGER NOT NULL
);
CREATE TABLE redirects (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL COLLATE NOCASE, other TEXT NOT NULL, file INTEGER NOT NULL
);
CREATE INDEX redirects_id ON redirects (id);
"""

INDEXES = {
    "names_folded": "names (folded)",
    "names_initials": "names (initials) WHERE initials <> ''",
    "names_concept": "names (concept)",
    "definitions_concept": "definitions (concept)",
    "types_concept": "types (concept)",
    "relations_subject": "relations (subject)",
    "relations_object": "relations (object)",
    "links_concept": "links (concept)",
    "links_other": "links (other)",
}
"""The indexes that a very large file is read without: sorting all rows at once is faster than placing each."""

IDENTITY_PREFIXES = {"umls", "MESH", "OMIM", "ORPHA", "DOID", "MONDO", "HP", "NCIT", "SNOMEDCT", "DB", "RXCUI", "SYMP"}
"""Prefixes of ids that name one thing; a code of a classification (ICD) names a drawer with many things in it."""
