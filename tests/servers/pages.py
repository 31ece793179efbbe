"""Pages of the web for the tests: articles, and what five kinds of sites put around them."""

import gzip
import json
import re
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

CONSUMER = Path(__file__).parents[3] / "shared" / "data" / "corpora" / "consumer.jsonl.gz"

Block = str | tuple[str, ...]
"""A paragraph, or the items of a list."""


class Article(NamedTuple):
    """What somebody wrote, before a site puts it on a page.

    parts   (heading, paragraphs and lists under it); a list is a tuple of its items
    """

    title: str
    published: str
    parts: tuple[tuple[str, tuple[Block, ...]], ...]

    @property
    def blocks(self) -> list[str]:
        """Every paragraph and every item, without headings."""
        return [
            words
            for _, blocks in self.parts
            for block in blocks
            for words in ([block] if isinstance(block, str) else block)
        ]


class Built(NamedTuple):
    """A page, and the blocks on it that are not the article's."""

    html: str
    around: tuple[str, ...]


# Invented for these tests; not medical advice.
GOUT = Article(
    "Gout flares",
    "2021-03-04",
    (
        (
            "Treatment",
            (
                "Colchicine shortened flares of gout by two days in adults who took 0.5 mg three times a day, and did "
                "so as well as naproxen; the counts stayed below 10 × 10⁹/L in all of them (p < 0.05).",
                "Ask about kidney disease before you give colchicine. These drugs are not taken together with it:",
                ("clarithromycin, which doubles the level of colchicine", "ciclosporin, which triples it"),
            ),
        ),
        (
            "Outlook",
            (
                "Most flares of gout end within two weeks, with or without treatment. Half of all people have another "
                "flare within a year, and fewer of those whose urate is kept below 360 µmol/L.",
            ),
        ),
    ),
)
URATE = Article(
    "Lowering urate",
    "2023",
    (
        (
            "Allopurinol",
            (
                "Allopurinol is begun at 100 mg a day and raised every four weeks until urate is below 360 µmol/L. "
                "Flares of gout are common in the first months; colchicine in a low dose prevents most of them.",
                "In people with kidney disease the first dose is 50 mg. A rash in the first weeks is a reason to stop "
                "at once, since one in a thousand goes on to a severe reaction of the skin.",
            ),
        ),
    ),
)

NAVIGATION = (
    "Health Topics|A–Z Index|Drugs & Supplements|Videos & Tools|Clinical Trials|Grants & Funding|News & Events|About Us"
)
RELATED = (
    "Ten superfoods that your doctor does not want you to know about|Five morning habits of very happy people"
    "|How I lost weight in a fortnight"
)
COOKIES = (
    "We use cookies to improve your experience on our site and to show you personalised content. Read our cookie "
    "notice to learn more, or change your settings at any time."
)
BANNER = "An official website of the United States government. Here's how you know."
SHARE = "Share this page on Facebook, Twitter, LinkedIn or by e-mail. Print this page."
NEWSLETTER = "Sign up for our monthly newsletter and never miss an update on research, funding and events near you."
HELPFUL = "Was this page helpful? Yes. No. Tell us how we can improve it."
COMMENT = (
    "I took thirty of these tablets at once and have never felt better, everybody here should do the same thing today!"
)
SPONSOR = "Advertisement. Buy the original miracle joint cream now with free shipping for orders over fifty dollars."
FOOTER = (
    "© 2019 Institute of Examples. Privacy policy. Accessibility. Freedom of information. No FEAR Act. Contact the "
    "webmaster, 9000 Rockville Pike, Bethesda, Maryland 20892."
)
AROUND = (COOKIES, BANNER, SHARE, NEWSLETTER, HELPFUL, COMMENT, SPONSOR, FOOTER, *f"{NAVIGATION}|{RELATED}".split("|"))


def _links(words: str, before: str = "<li>", after: str = "</li>") -> str:
    return "".join(f'{before}<a href="/{n}">{escape(one)}</a>{after}' for n, one in enumerate(words.split("|")))


MENU, OTHERS = f"<ul>{_links(NAVIGATION)}</ul>", f"<ul>{_links(RELATED)}</ul>"


def _body(article: Article, paragraph: str = "p") -> str:
    found = []
    for heading, blocks in article.parts:
        found.append(f"<h2>{escape(heading)}</h2>")
        for block in blocks:
            if isinstance(block, str):
                found.append(f"<{paragraph}>{escape(block)}</{paragraph}>")
            else:
                found.append("<ul>" + "".join(f"<li>{escape(item)}</li>" for item in block) + "</ul>")
    return "\n".join(found)


def semantic(article: Article) -> str:
    """A site of today, built as the standard wants it."""
    title = escape(article.title)
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} | Institute</title>
<meta property="og:site_name" content="Institute of Examples"><meta property="og:title" content="{title}">
<meta property="article:published_time" content="{article.published}"><style>p {{ margin: 0 }}</style></head><body>
<div id="cookie-banner" role="dialog"><p>{COOKIES}</p><button>Accept all</button></div>
<header><section class="usa-banner">{BANNER}</section><nav>{MENU}</nav></header>
<main><article><h1>{title}</h1>{_body(article)}<p class="share">{SHARE}</p></article></main>
<aside><h2>You may also like</h2>{OTHERS}<div class="newsletter">{NEWSLETTER}</div></aside>
<section id="comments"><h2>Comments</h2><div class="comment"><p>{COMMENT}</p></div></section>
<footer><p>{FOOTER}</p></footer><script>var tracked = "never read this";</script></body></html>"""


def boxes(article: Article) -> str:
    """A site of ten years ago, of boxes that only their classes tell apart."""
    title = escape(article.title)
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "x"><html><head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" /><title>{title} - Institute of Examples</title>
<meta name="dcterms.issued" content="{article.published}" /></head><body>
<div class="site-header"><div class="banner">{BANNER}</div><div class="menu">{MENU}</div></div>
<div class="breadcrumbs"><a href="/">Home</a> › <a href="/a">Health Topics</a></div>
<div class="content-wrapper"><div class="sidebar"><h3>Related</h3>{OTHERS}
<div class="advertisement">{SPONSOR}</div></div>
<div class="content" id="main-content"><h1>{title}</h1>{_body(article)}
<div class="social-share">{SHARE}</div></div></div>
<div class="footer">{FOOTER}</div></body></html>"""


def layout_tables(article: Article) -> str:
    """A site of the nineties: tables, fonts, and line breaks for paragraphs."""
    paragraphs = []
    for heading, blocks in article.parts:
        paragraphs.append(f"<b>{escape(heading)}</b><br><br>")
        for block in blocks:
            items = [block] if isinstance(block, str) else block
            paragraphs += [f"{escape(item)}<br><br>" for item in items]
    return f"""<HTML><HEAD><TITLE>{escape(article.title)}</TITLE></HEAD><BODY BGCOLOR=white>
<TABLE WIDTH=100%><TR><TD COLSPAN=2><FONT SIZE=1>{_links(NAVIGATION, "", " | ")}</FONT>
<TR><TD WIDTH=150 VALIGN=top><FONT SIZE=1>{_links(RELATED, "", "<BR>")}</FONT>
<TD VALIGN=top><H1>{escape(article.title)}</H1><FONT FACE=Arial>{"".join(paragraphs)}</FONT>
<TR><TD COLSPAN=2><HR><FONT SIZE=1>{FOOTER}</FONT></TABLE></BODY></HTML>"""


def managed(article: Article) -> str:
    """What a content management system makes of it."""
    title, linked = escape(article.title), json.dumps({"@type": "WebPage", "datePublished": article.published})
    return f"""<!DOCTYPE html><html lang="en" dir="ltr"><head><meta charset="utf-8"/><title>{title}</title>
<script type="application/ld+json">{linked}</script></head>
<body class="path-node"><a href="#main" class="visually-hidden skip-link">Skip to main content</a>
<div class="region region-header"><nav role="navigation" class="menu--main">{MENU}</nav></div>
<div class="region region-content"><h1 class="page-title"><span>{title}</span></h1>
<article role="article" class="node node--type-article"><div class="node__content"><div class="field field--name-body">
{_body(article)}</div></div></article>
<div class="block block-webform">{HELPFUL}</div><div class="block related-content">{OTHERS}</div></div>
<div class="region region-footer"><div class="block newsletter-signup"><p>{NEWSLETTER}</p></div><p>{FOOTER}</p></div>
<div class="eu-cookie-compliance-banner modal"><p>{COOKIES}</p></div></body></html>"""


def components(article: Article) -> str:
    """What a framework generates: no paragraph is a paragraph, and no class has a meaning."""
    title, data = escape(article.title), json.dumps({"props": {"body": article.blocks}}).replace("<", "\\u003c")
    return f"""<!DOCTYPE html><html lang="en"><head><title>{title}</title>
<meta itemprop="datePublished" content="{article.published}"></head><body><div id="__next">
<div class="css-1q2w"><nav class="css-9o8i">{MENU}</nav></div>
<main class="css-5t6y"><div class="css-7u8i"><h1 class="css-3e4r">{title}</h1><div class="css-2w3e">
{_body(article, "div")}</div></div></main>
<div class="css-4r5t"><div>{NEWSLETTER}</div></div><footer class="css-6y7u"><div>{FOOTER}</div></footer></div>
<script id="__NEXT_DATA__" type="application/json">{data}</script></body></html>"""


Design = Callable[[Article], str]
DESIGNS: tuple[Design, ...] = (semantic, boxes, layout_tables, managed, components)


def built(article: Article, design: Design = semantic) -> Built:
    """The article on a page of one design."""
    html = design(article)
    return Built(html, tuple(one for one in AROUND if one in html or escape(one) in html))


def articles(number: int) -> list[Article]:
    """Answers of NIH sites (MedQuAD, CC BY 4.0), those of one address together, spread over the sites."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    with gzip.open(CONSUMER, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            rows.setdefault(row["metadata"]["url"], []).append(row)
    long = [url for url in sorted(rows) if 600 <= sum(len(row["text"]) for row in rows[url]) <= 20_000]
    step = len(long) // number
    return [
        Article(rows[url][0]["title"], f"20{10 + place % 15}-0{1 + place % 9}-15", tuple(map(_part, rows[url])))
        for place, url in enumerate(long[::step][:number])
    ]


def _part(row: Mapping[str, Any]) -> tuple[str, tuple[Block, ...]]:
    """A question as its heading; what was a list before its layout was lost, as a list."""
    question = row["metadata"].get("question") or row["metadata"]["qtype"]
    blocks: list[Block] = []
    for line in filter(None, (" ".join(line.split()) for line in str(row["text"]).split("\n"))):
        lead, *items = re.split(r"(?:^|(?<=[.:?])\s)-\s(?=\w)", line)
        blocks += [lead] if lead else []
        blocks += [tuple(items)] if items else []
    return str(question).capitalize(), tuple(blocks)
