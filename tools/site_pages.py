"""Hooks of mkdocs for the pages that do not lie in docs/: the README is the first page, and what pages link to comes
along, so that every link of the site leads to something in it.
"""

import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
HOME = "README.md"
PAGES = (HOME, "CHANGELOG.md", "CONTRIBUTING.md", "evaluate/README.md")
FOLDERS = ("evaluate/docs",)

LINK = re.compile(r"\]\((?P<to>(?!\w+:|#)[^)\s#]+)(?P<part>#[^)\s]*)?\)")
"""A link to a file, as all pages write it: from the page's own folder."""


def name_in_site(path: str) -> str:
    """Where a file of the repository stands in the site: docs/search.md at search.md, evaluate/docs/x.md as it is."""
    return "index.md" if path == HOME else path.removeprefix("docs/")


def find_path(page: Page) -> str:
    """Where a page of the site stands in the repository."""
    name = page.file.src_uri
    known = next((path for path in PAGES if name_in_site(path) == name), "")
    return known or (name if name.startswith(FOLDERS) else f"docs/{name}")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The site's files with the pages that lie elsewhere, and what any page links to."""
    pages = [*PAGES, *(str(path.relative_to(ROOT)) for one in FOLDERS for path in sorted((ROOT / one).rglob("*.md")))]
    for path in pages:
        files.append(File.generated(config, name_in_site(path), content=(ROOT / path).read_text(encoding="utf-8")))
    texts = [*pages, *(f"docs/{file.src_uri}" for file in files.documentation_pages() if not file.generated_by)]
    for path in texts:
        for link in LINK.finditer((ROOT / path).read_text(encoding="utf-8")):
            target = resolve_link(path, link["to"])
            if (ROOT / target).is_file() and files.get_file_from_path(name_in_site(target)) is None:
                files.append(File.generated(config, name_in_site(target), abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """A page with its links as they are in the site; one to a folder leads to the first page in it."""
    path = find_path(page)
    here = Path(name_in_site(path)).parent

    def point(link: re.Match[str]) -> str:
        target = resolve_link(path, link["to"])
        if (ROOT / target).is_dir():
            inside = next(iter(sorted((ROOT / target).glob("*.md"))), None)
            target = str(inside.relative_to(ROOT)) if inside else target
        return f"]({os.path.relpath(name_in_site(target), here)}{link['part'] or ''})"

    return LINK.sub(point, markdown)


def resolve_link(path: str, link: str) -> str:
    """The file of the repository that a page links to."""
    return os.path.normpath(Path(path).parent / link)
