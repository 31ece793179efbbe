"""Messages of `wellsourced library`."""

from collections.abc import Sequence

from wellsourced.presentation.wording import format_count, format_size

MAX_NAMED_ENDINGS = 6

# --- create, embed, remove, digest


PUT_ADD_FIRST = "Unexpected argument {path}. Put --add before the files."
LIBRARY_CREATED = "Created the library {name}."
FILL_NEXT = "Add files: wellsourced library add {name} PATH"
EMBEDDED = "{name}: {vectors:,} of {passages} embedded."
VECTORS_NEED_IDS = "Give an --ids for each --vectors."
VECTORS_IMPORTED = "{documents:,} documents got a vector; {left_out:,} rows left out (not in the library, or embedded)."
CONFIRM_DELETION = "Delete the library {name} with all its documents?"
LIBRARY_DELETED = "Deleted the library {name}."
NO_SUCH_DOCUMENTS = "The library {name} has none of these documents: {ids}."


def documents_removed(name: str, number: int, missing: int) -> str:
    """Documents were removed."""
    absent = f"; {missing:,} not found" if missing else ""
    return f"Removed {format_count(number, 'document')} from {name}{absent}."


DIGEST_NEEDS_MODEL = "A language model writes digests, and none is set."
READING = "Reading {path}"
INDEXING = "Rebuilding the index of {name}"


# --- expect

EXPECT_NEEDS_MODEL = "A language model writes the questions, and none is set. To take yours, name a file with --from."
EXPECT_PLAN = "{sections} to write{done}: about {tokens_in:,} tokens in and {tokens_out:,} out, {price}."
SECTIONS_WRITTEN = " ({written:,} written already)"
ABOUT_DOLLARS = "about ${dollars:.2f}"
PRICE_UNKNOWN = "price unknown"
CONFIRM_EXPECT = "Have {model} write the questions?"


def questions_added(name: str, added: int, known: int, replaced: int, total: int) -> str:
    """Questions were added to a library."""
    others = [f"{known:,} known already"] if known else []
    others += [f"{replaced:,} outdated removed"] if replaced else []
    aside = f" ({', '.join(others)})" if others else ""
    return f"Added {format_count(added, 'question')} to {name}{aside}; it has {total:,}."


QUESTIONS_STALE = "{count} ignored: the lines that answer have changed."
EXPECT_FAULTS = "{count} gave no question; everything else was added:"
MORE_FAULTS = "and {number:,} more"


# --- add

PATH_MISSING = "Missing PATH: every file of this library was read already."


def files_skipped(endings: Sequence[tuple[str, int]]) -> str:
    """Files of types that no reader knows were skipped: each ending with its number of files."""
    if not endings:
        return ""
    named = ", ".join(f"{ending} ({number:,})" for ending, number in endings[:MAX_NAMED_ENDINGS])
    rest = len(endings) - MAX_NAMED_ENDINGS
    others = f" and {format_count(rest, 'other type')}" if rest > 0 else ""
    return (
        f"Skipped {format_count(sum(number for _, number in endings), 'file')} of unsupported types: {named}{others}."
    )


PROBLEMS = "{count}; everything else was added:"
NOT_A_RECIPE = "{name} is not a public collection: leave out {option}."


def unknown_library(reason: str, recipe: str) -> str:
    """A name is neither a library's nor a recipe's."""
    near = f" Did you mean the public collection {recipe}?" if recipe else ""
    return f"{reason}.{near} `wellsourced library recipes` lists public collections."


# --- recipes

BY_HAND = "by hand"
RECIPE_DETAILS = "Licence, size and origin of one: wellsourced library add NAME --dry-run"


def download_size(number: int) -> str:
    """How much a recipe downloads; 0: it is not known before its list of files is read."""
    return f"about {format_size(number)}" if number else "size not known yet"


LICENCE = "Licence: {licence}."
ORIGIN = "From {url}, {size}"
DISK_SPACE = "Disk space: about {size}."
ADD_BY_HAND = "Then run: wellsourced library add {name} FOLDER"
LIST_UNAVAILABLE = "Its list of files is not available: {reason}"
READS_PATHS = "Reads {count} on this machine into {target}."


def to_download(files: int, size: int, disk: int, free: int, target: str) -> str:
    """Files would be downloaded."""
    amount = f"{format_count(files, 'file')}, {format_size(size) if size else 'size unknown'}"
    space = f"needs about {format_size(disk)}, " if disk else ""
    return f"Downloads {amount}, into {target}; {space}{format_size(free)} free."


EMBED_LATER = "Found by words now. To find them by meaning too, run: wellsourced library embed {library}"
GOES_INTO_GRAPH = "{name} goes into the graph, not into a library: leave out --into."
OTHER_KIND = "The library {library} holds “{kind}”, and {recipe} is “{goes}”. Name another with --into."
DISK_TOO_SMALL = (
    "It needs about {needed}, and {free} are free. "
    "Free some space, take part of it with --files N, or continue with --yes."
)
CONFIRM_DOWNLOAD = "Download {size}?"
