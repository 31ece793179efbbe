"""Dumps of Wikipedia; the articles are invented."""

import bz2
import resource
import sys
from pathlib import Path

import pytest

from tests.readers.reading import documents, only, parts, read, written
from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.readers.registry import reader_for

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><siteinfo>
<sitename>Wikipedia</sitename><base>https://en.wikipedia.org/wiki/Main_Page</base><namespaces>
<namespace key="6">File</namespace><namespace key="14">Category</namespace>
<namespace key="0" /></namespaces></siteinfo>"""
TAIL = "</mediawiki>"


def page(text: str, number: int = 7, title: str = "Salt fever", space: int = 0, more: str = "") -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f"<page><title>{title}</title><ns>{space}</ns><id>{number}</id>{more}<revision><id>99</id>"
        f"<timestamp>2024-05-03T10:00:00Z</timestamp><model>wikitext</model><text>{text}</text></revision></page>"
    )


def dump(*pages: str) -> str:
    return HEAD + "".join(pages) + TAIL


ARTICLE = """{{Infobox disease|name=Salt fever}}
'''Salt fever''' is a [[Fever (symptom)|fever]] of ''cooks''.<ref name="a">{{cite|x}} A note.</ref>{{cn|date=May 2024}}
It begins at {{convert|6|mg}}, or at {{dosage|5}}.<!-- unseen --> CO<sub>2</sub>&nbsp;and 10<sup>5</sup>.

[[File:Salt.jpg|thumb|A [[foot]]]]
==Signs==
* Heat
* Cold [[joint]]s
{| class="wikitable"
| in || a table
|}
===Late signs===
None, see [http://x.example the page].
==References==
{{reflist}}
* A cited work
===Deeper===
Still references
==Outlook==
Good.
[[Category:Fevers]]
"""


def test_an_article_is_cut_at_its_headings_and_templates_and_notes_are_left_out(tmp_path: Path) -> None:
    assert parts(only(written(tmp_path / "a.xml", dump(page(ARTICLE))), "wiki")) == [
        (
            "",
            "Salt fever is a fever of cooks.\nIt begins at 6 mg, or at […]. CO2\xa0and 10^5.",
        ),
        ("Signs", "- Heat\n- Cold joints\n\nin | a table"),
        ("Signs › Late signs", "None, see the page."),
        ("Outlook", "Good."),
    ]


def test_the_card_of_an_article_names_the_wiki_the_page_and_the_revision(tmp_path: Path) -> None:
    reference = only(written(tmp_path / "a.xml", dump(page(ARTICLE))), "wiki").reference
    assert (reference.id, reference.url) == ("wiki:en:7", "https://en.wikipedia.org/wiki/Salt_fever")
    assert (reference.title, reference.kind, reference.published) == ("Salt fever", "wiki", "2024-05-03")


def test_redirects_disambiguation_pages_and_other_name_spaces_count_as_nothing(tmp_path: Path) -> None:
    pages = (
        page("#REDIRECT [[Salt fever]]", 1, more='<redirect title="Salt fever" />'),
        page("'''Salt''' may be: * x {{disambiguation}}", 2),
        page("Talk.", 3, "Talk:Salt fever", space=1),
        page("{{Medical cases chart}}", 4),
        page("Words.", 5),
    )
    assert [document.reference.id for document in documents(written(tmp_path / "a.xml", dump(*pages)))] == ["wiki:en:5"]


def test_a_dump_of_several_bzip2_streams_is_read_through(tmp_path: Path) -> None:
    streams = (HEAD, page("One.", 1) + page("Two.", 2), page("Three.", 3), TAIL)
    path = tmp_path / "a-pages-articles-multistream.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(stream.encode()) for stream in streams))
    assert [document.reference.id for document in documents(path)] == ["wiki:en:1", "wiki:en:2", "wiki:en:3"]


def test_a_damaged_bzip2_file_is_unreadable(tmp_path: Path) -> None:
    whole = bytearray(bz2.compress(dump(page("One.")).encode()))
    whole[len(whole) // 2] ^= 0xFF
    (tmp_path / "a.xml.bz2").write_bytes(bytes(whole))
    with pytest.raises(UnreadableFile, match="damaged"):
        read(tmp_path / "a.xml.bz2")


def test_without_the_package_that_reads_wiki_text_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(SettingsError, match=r"the extra “documents”"):
        read(written(tmp_path / "a.xml", dump(page("One."))))


@pytest.mark.slow
@pytest.mark.nightly
def test_a_dump_takes_no_more_memory_the_longer_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(page("Words of salt. " * 2_000, number) for number in range(1, 3_000))
        file.write(TAIL)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(1 for _ in reader_for(path)(path, "wiki")) == 2_999
    assert path.stat().st_size > 90_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


def test_a_table_is_read_with_its_names_and_spans_and_one_that_leads_elsewhere_is_not(tmp_path: Path) -> None:
    table = """Doses follow.
{| class="wikitable"
|+ Doses
! rowspan="2" | Drug
! colspan="2" | Dose
|-
! Men !! Women
|-
| rowspan="2" | '''Colchicine''' || 0.5 mg<br>twice || 5 [[mg]]
|-
|
* first
* last
| 6 mg
|}
{| class="navbox"
| Salt || Sugar
|}
"""
    lines = "Drug | Dose: Men | Dose: Women\nColchicine | 0.5 mg; twice | 5 mg\nColchicine | first; last | 6 mg"
    assert parts(only(written(tmp_path / "a.xml", dump(page(table))), "wiki")) == [
        ("", f"Doses follow.\n\nDoses\n\n{lines}")
    ]
