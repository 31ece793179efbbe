"""The tables of the word index."""

import sqlite3

from wellsourced.sources.library.word_index.entries import WORD_FIELDS
from wellsourced.storage.sqlite_database import sqlite_transaction

FORMAT = 1
"""Raised whenever what is kept changes: the index is made again."""

TABLES = ("state", "documents", "identities", "headings", "tags", "vocabulary", "words")

SCHEMA = (
    # `next` is the number of the next document: a number that was lost is not given again while its words are here.
    "CREATE TABLE state (generation INTEGER NOT NULL, next INTEGER NOT NULL, subjects TEXT NOT NULL)",
    "INSERT INTO state VALUES (-1, 0, '[]')",
    "CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash INTEGER NOT NULL,"
    " earliest INTEGER NOT NULL, latest INTEGER NOT NULL, tagged INTEGER NOT NULL)",
    "CREATE TABLE identities (identity TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (identity, number))"
    " WITHOUT ROWID",
    # Headings and qualifiers, folded (`fold_words`). Of a document without a qualifier under a heading, it is 0.
    "CREATE TABLE headings (heading INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE tags (heading INTEGER NOT NULL, qualifier INTEGER NOT NULL, number INTEGER NOT NULL,"
    " PRIMARY KEY (heading, qualifier, number)) WITHOUT ROWID",
    "CREATE INDEX tags_by_qualifier ON tags (qualifier) WHERE qualifier > 0",
    # Without `columnsize` it is smaller: what it finds is never ranked here.
    f"CREATE VIRTUAL TABLE words USING fts5 ({', '.join(WORD_FIELDS)}, content = '', columnsize = 0,"
    " tokenize = 'unicode61 remove_diacritics 2')",
    # Bytes of words that wait in memory: with the 1 MB that is usual, a third of the time goes into merging.
    "INSERT INTO words (words, rank) VALUES ('hashsize', 16777216)",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row')",
    f"PRAGMA user_version = {FORMAT}",
)


def prepare_tables(sql: sqlite3.Connection) -> None:
    """Make the tables where there are none of this format."""
    # Looked at without a lock first: nearly always there is nothing to do.
    if _read_format(sql) == FORMAT:
        return
    with sqlite_transaction(sql):
        # Another process may have been faster.
        if _read_format(sql) != FORMAT:
            for table in TABLES:
                sql.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in SCHEMA:
                sql.execute(statement)


def clear_tables(sql: sqlite3.Connection) -> None:
    """Forget everything, and give numbers from the first again."""
    for table in ("documents", "identities", "headings", "tags"):
        sql.execute(f"DELETE FROM {table}")  # noqa: S608
    sql.execute("INSERT INTO words (words) VALUES ('delete-all')")
    sql.execute("UPDATE state SET generation = -1, next = 0, subjects = '[]'")


def _read_format(sql: sqlite3.Connection) -> object:
    return sql.execute("PRAGMA user_version").fetchone()[0]
