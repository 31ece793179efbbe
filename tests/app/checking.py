"""The command `check` as it is typed, with a small web of its own on loopback."""

from pathlib import Path

from click.testing import CliRunner, Result

from tests.servers.base import Asked, Said, Served
from wellsourced.app.commands.check import check

PAGE = (
    "<html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{text}</p>"
    "<p>The participants were adults who had had at least two attacks in the year before they were asked.</p>"
    "</article></body></html>"
)
FLARE = "Colchicine shortened gout flares by two days in adults."
WRONG = "Nausea was seen in 30% of the patients who took colchicine."
RIGHT = "Nausea was seen in 13% of the patients who took colchicine."


def web(asked: Asked) -> Said:
    if asked.path == "/trial":
        text = f"{FLARE} {RIGHT} It was studied for a year in four countries."
        return Said(PAGE.format(title="A trial of colchicine", text=text).encode(), type="text/html; charset=utf-8")
    if asked.path == "/login":
        return Said(b"", status=403)
    return Said(b"not here", status=404, type="text/plain")


class Typed:
    """The command with a network that reaches the site alone: whatever else is asked is refused."""

    def __init__(self, site: Served) -> None:
        host = site.url.removeprefix("http://")
        dead = "http://127.0.0.1:9"
        self.flags = {
            "encoder": "none",
            "network.private_hosts": host,
            "network.seconds": "5",
            "network.cache": "false",
            **{f"{name}.url": dead for name in ("pubmed", "europe_pmc", "crossref")},
        }
        self.site = site

    def __call__(self, *words: str, stdin: str | None = None, **flags: str) -> Result:
        return CliRunner().invoke(check, [*words], input=stdin, obj={**self.flags, **flags})

    def text(self, *lines: str, path: str = "answer.md") -> str:
        """A file whose lines each cite the page that they end with."""
        marked = [f"{line.rpartition(' ')[0]} [{number}]" for number, line in enumerate(lines, 1)]
        listed = [f"{number}. {self.site.url}{line.rpartition(' ')[2]}" for number, line in enumerate(lines, 1)]
        Path(path).write_text(
            "\n\n".join(["# Gout", *marked, "## References", "\n".join(listed)]) + "\n", encoding="utf-8"
        )
        return path
