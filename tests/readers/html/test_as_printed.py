"""What a page prints is read: lists, tables, raised digits, boxes and notes; a saved page needs no more than lxml."""

import sys
from pathlib import Path

import pytest

from tests.readers.html.test_main_text import LONG, page, saved
from tests.readers.reading import only, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile

MENU = "<ul><li><a href=/a>Home</a></li><li><a href=/b>About us</a></li></ul>"


@each_row(
    ("body", "text"),
    [
        # Lists, with the numbers that are printed.
        ("<ol start=3><li>Ask</li><li value=9>Look</li><li>Treat</li></ol>", "3. Ask\n9. Look\n10. Treat"),
        ("<ol type=a><li>x<ol type=I><li>y</li><li>z</li></ol></li></ol>", "a. x\n  I. y\n  II. z"),
        ("<ol style='list-style-type: lower-roman'><li>x</li></ol>", "i. x"),
        ("<ol reversed><li>x</li><li>y</li></ol>", "2. x\n1. y"),
        ("<ul><li><p>one</p><p>two</p></li><li>three</li></ul>", "- one\n  two\n- three"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        (f"<p>These are:</p>{MENU}", "These are:\n\n- Home\n- About us"),
        ("<dl><dt>HR:</dt><dd>hazard ratio</dd><dt>OR</dt><dd><p>odds</p><p>ratio</p></dd></dl>",
         "HR: hazard ratio\nOR\n  odds\n  ratio"),
        # Cells.
        ("<table><tr><th>Drug<th>Dose<tr><td>A<td><ul><li>1 mg<li>2 mg</ul><tr><td>B<td><a href=x>3 mg</a></table>",
         "Drug | Dose\nA | 1 mg; 2 mg\nB | 3 mg"),
        ("<table><tr><th>Drug<th>Dose<tr><td>A<td>1 mg<td>with food</table>",
         "Drug | Dose | [no header]\nA | 1 mg | with food"),
        ("<table><tr><td><b>Drug</b><td><b>Dose</b><tr><td>A<td>1 mg</table>", "Drug | Dose\nA | 1 mg"),
        ("<table><tr><td>Age<td>40<tr><td>Sex<td>male</table>", "[no header] | [no header]\nAge | 40\nSex | male"),
        ("<table><tr><th>Age<td>40<tr><th>Sex<td>&nbsp;</table>", "[no header] | [no header]\nAge | 40\nSex |"),
        ("<table><caption>Doses</caption><tr><th>D<th>N<tr><td>A<td><table><tr><td>1<td>2</table></table>",
         "Doses\n\nD | N\nA | 1, 2"),
        ("<table><tr><td><h3>A</h3><p>x</p><td><h3>B</h3><p>y</p></table>", "A\n\nx\n\nB\n\ny"),
        ("<table><tr><td>One.<tr><td>Two.</table>", "One.\n\nTwo."),
        ("<table><tr><th rowspan=2>Age<th colspan=2>Uruguay<tr><th>Men<th>Women<tr><td>40<td>1<td>2</table>",
         "Age | Uruguay: Men | Uruguay: Women\n40 | 1 | 2"),
        # Raised and lowered, struck out, quoted; signs that are pictures.
        ("<p>10<sup>9</sup>/L, 1.73 m<sup>2</sup>, D<sub>3</sub>, 2<sup><a href=#n>3</a></sup>, x<sup>a</sup></p>",
         "10^9/L, 1.73 m^2, D3, 2[3], x[a]"),
        ("<p><del>5 mg</del> 10 mg, <q>so</q></p>", "~~5 mg~~ 10 mg, “so”"),
        ("<p>eGFR <img alt='≥' src=x> 30 <img alt='A chart' src=y></p>", "eGFR ≥ 30"),
        ("<p>anti&shy;inflam&#8203;matory&nbsp;5&nbsp;mg</p>", "antiinflammatory\xa05\xa0mg"),
        # Line breaks, blocks in inline elements, preformatted lines.
        ("One<br>two<br><br>three<p>four", "One\ntwo\n\nthree\n\nfour"),
        ("<a href=x><div>One</div>two</a>", "One\n\ntwo"),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        # Boxes, notes, what can be unfolded; what is pressed or filled in is none of it.
        ("<aside><p>Call now.</p></aside><details><summary>More</summary>5 mg</details>", "Call now.\n\nMore\n\n5 mg"),
        ("<figure><img src=x><figcaption>A rash.</figcaption></figure>", "A rash."),
        ("<p>x<sup><a href=#n>1</a></sup></p><div id=n>1. Note. <a href=#r>↩</a></div>", "x[1]\n\n1. Note."),
        ("<form><label>Name</label><input value=x><button>Send</button></form>", "Name"),
        ("<p>x <span style='display: none'>y</span><span class=sr-only>z</span>w</p>", "x w"),
    ],
)  # fmt: skip
def test_what_is_printed_is_read(body: str, text: str) -> None:
    assert saved(page(body)).text == f"Gout\n\n{text}"


@each_row("around", ["<nav>{}</nav>", "<div class='main-menu'>{}</div>", "<header>{}</header>"])
def test_a_menu_is_left_out_and_a_box_of_such_a_name_is_not(around: str) -> None:
    html = f"<body>{around.format(MENU)}<h1>Gout</h1><p>{LONG}</p><div class=sidebar><p>Call when red.</p></div>"
    assert saved(html).text == f"Gout\n\n{LONG}\n\nCall when red."


def test_several_headings_of_the_first_level_are_parts(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.html", "<h1>Dose</h1><p>5 mg.</p><h1>Harm</h1><p>Rash.</p>"))
    assert [section.title for section in document.sections] == ["Dose", "Harm"]


@each_row("name", ["b", "ul><li"])
def test_a_page_is_read_or_refused_however_deep_it_is_read_from(name: str) -> None:
    def read_from(depth: int) -> str:
        return read_from(depth - 1) if depth else saved(page(f"<{name}>" * 110 + "Deep.")).text

    assert read_from(0).endswith("Deep.")
    with pytest.raises(UnreadableFile, match="nested too deeply"):
        read_from(sys.getrecursionlimit() - 300)
