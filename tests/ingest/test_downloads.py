"""Recipes fetched from a server that breaks off, sends rubbish, is down, or shows other files than it should."""

import bz2
import gzip
import hashlib
import io
import shutil
import tarfile
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.ingest.records import jats, record
from tests.servers.archive import Mishaps, archive
from tests.sources.corpus import word
from tests.tables import each_row
from wellsourced.errors import (
    InaccessibleFile,
    NotFoundError,
    OfflineError,
    SourceRefused,
    SourceUnavailable,
    UnreadableFile,
)
from wellsourced.events import Event, FileDownloaded, Progress
from wellsourced.http import Client
from wellsourced.ingest import ingest_files
from wellsourced.ingest.acquisition import (
    AcquisitionPlan,
    RemoteFile,
    acquire_files,
    download_files,
    find_checksum,
    list_remote_files,
    lock_folder,
    plan_acquisition,
)
from wellsourced.ingest.archives import unpack_archive
from wellsourced.ingest.recipes import RECIPES, Recipe
from wellsourced.sources.library import Library
from wellsourced.types import Query


def find_recipe(name: str) -> Recipe:
    return next(recipe for recipe in RECIPES if recipe.name == name)


BASELINE = find_recipe("pubmed-baseline")
XML = r".*\.n?xml"


def packed_records(first: int, last: int) -> bytes:
    """A file of the baseline."""
    records = "".join(record(number) for number in range(first, last))
    return gzip.compress(f"<PubmedArticleSet>{records}</PubmedArticleSet>".encode(), mtime=0)


FILES = {
    f"/pubmed/baseline/pubmed26n000{number}.xml.gz": packed_records(number * 1_000, number * 1_000 + 400)
    for number in (1, 2, 3)
}
FIRST = "/pubmed/baseline/pubmed26n0001.xml.gz"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2, timeout=5) as client:
        yield client


def at(url: str, folder: str = "/pubmed/baseline/") -> str:
    return f"{url}{folder}"


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_the_files_that_a_server_lists_are_offered_with_their_sizes_and_nothing_else(client: Client) -> None:
    with archive({**FILES, "/pubmed/baseline/pubmed26n0001_stats.html": b"x"}) as served:
        remotes = await list_remote_files(BASELINE, client, at(served.url))
    assert [remote.name for remote in remotes] == [path.rpartition("/")[2] for path in FILES]
    for remote, content in zip(remotes, FILES.values(), strict=True):
        assert abs(remote.size - len(content)) < 0.06 * len(content)
        assert remote.sums == f"{remote.url}.md5"


async def test_parts_of_a_wikipedia_dump_are_named_so_that_a_reader_knows_them(client: Client, tmp_path: Path) -> None:
    text = "Gout is an arthritis. It is caused by crystals of urate."
    page = f"<page><title>Gout</title><ns>0</ns><id>7</id><revision><id>1</id><text>{text}</text></revision></page>"
    dump = bz2.compress(f"<mediawiki>{page}</mediawiki>".encode())
    sums = f"{hashlib.sha1(dump, usedforsecurity=False).hexdigest()}  enwiki-20261101-pages-articles1.xml-p1p9.bz2\n"
    recipe = find_recipe("wikipedia")
    files = {"/w/enwiki-latest-pages-articles1.xml-p1p9.bz2": dump, "/w/enwiki-latest-sha1sums.txt": sums.encode()}
    with archive(files) as served:
        needed = await plan_acquisition(recipe, tmp_path, client, url=f"{served.url}/w/")
        library = await read_into(tmp_path, recipe, needed, client)
    assert [remote.name for remote in needed.remotes] == ["enwiki-latest-pages-articles1-p1p9.xml.bz2"]
    assert (await library.describe()).documents == 1
    library.close()


async def test_a_table_as_other_servers_print_it_is_read_too(client: Client) -> None:
    page = (
        '<table><tr><td><a href="PMC1_PMC9.xml.gz">PMC1_PMC9.xml.gz</a></td><td align="right">2026-11-02 03:11  </td>'
        '<td align="right"> 12M</td></tr>'
        "<tr><td><a href='PMC%31%30_PMC19.xml.gz'>x</a></td><td>02-Nov-2026 03:11</td><td>345678</td></tr></table>"
    )
    with archive({"/oa/": page.encode()}) as served:
        remotes = await list_remote_files(find_recipe("pmc-oa"), client, f"{served.url}/oa")
    assert [(one.name, one.size) for one in remotes] == [
        ("PMC10_PMC19.xml.gz", 345_678),
        ("PMC1_PMC9.xml.gz", 12 * 1024**2),
    ]


async def test_a_download_that_was_cut_off_goes_on_where_it_stopped(client: Client, tmp_path: Path) -> None:
    half = len(FILES[FIRST]) // 2
    mishaps = Mishaps(cuts={FIRST: (half, half // 2)}, down={FIRST: 1})
    with archive(FILES, mishaps) as served:
        remotes = await list_remote_files(BASELINE, client, at(served.url))
        told: list[Event] = []
        paths = []
        for _ in range(3):
            try:
                paths = await download_files(remotes, tmp_path, client, told.append)
            except SourceUnavailable:
                continue
        asked = [request.headers["Range"] for request in served.asked if request.headers.get("Range")]
    assert [path.read_bytes() for path in paths] == list(FILES.values())
    assert asked[:2] == [f"bytes={half}-", f"bytes={half + half // 2}-"]
    assert names_in(tmp_path) == {".lock", *(path.name for path in paths)}
    assert any(isinstance(event, Progress) and event.task == "downloading" for event in told)


async def test_a_file_with_another_checksum_is_thrown_away_and_fetched_again(client: Client, tmp_path: Path) -> None:
    with archive(FILES, Mishaps(garbled={FIRST: 1})) as served:
        paths = await download_files(await list_remote_files(BASELINE, client, at(served.url)), tmp_path, client)
    assert paths[0].read_bytes() == FILES[FIRST]


async def test_a_file_that_never_has_its_checksum_is_never_in_its_place(client: Client, tmp_path: Path) -> None:
    with archive(FILES, Mishaps(garbled={FIRST: 9})) as served, pytest.raises(SourceUnavailable, match="checksum"):
        await download_files(await list_remote_files(BASELINE, client, at(served.url)), tmp_path, client)
    assert not (tmp_path / "pubmed26n0001.xml.gz").exists()


async def test_what_is_here_and_right_is_not_fetched_again_and_what_was_damaged_is(
    client: Client, tmp_path: Path
) -> None:
    with archive(FILES) as served:
        remotes = await list_remote_files(BASELINE, client, at(served.url))
        paths = await download_files(remotes, tmp_path, client)
        paths[1].write_bytes(paths[1].read_bytes()[:-1] + b"x")
        served.asked.clear()
        told: list[Event] = []
        await download_files(remotes, tmp_path, client, told.append)
        fetched = [request.path for request in served.asked if request.path.endswith(".gz")]
    assert fetched == ["/pubmed/baseline/pubmed26n0002.xml.gz"]
    assert [event.kept for event in told if isinstance(event, FileDownloaded)] == [True, False, True]
    assert paths[1].read_bytes() == FILES["/pubmed/baseline/pubmed26n0002.xml.gz"]


async def test_a_folder_that_lists_nothing_of_a_recipe_or_is_not_there_says_so(client: Client) -> None:
    with archive({"/elsewhere/other.txt": b"x"}) as served:
        with pytest.raises(SourceRefused, match="lists no files of pubmed-baseline"):
            await list_remote_files(BASELINE, client, f"{served.url}/elsewhere/")
        with pytest.raises(NotFoundError):
            await list_remote_files(BASELINE, client, f"{served.url}/nowhere/")


async def test_offline_nothing_is_fetched(tmp_path: Path) -> None:
    async with Client(offline=True) as client:
        with pytest.raises(OfflineError):
            await plan_acquisition(BASELINE, tmp_path, client)


async def test_two_processes_do_not_fetch_into_one_folder(client: Client, tmp_path: Path) -> None:
    with lock_folder(tmp_path), pytest.raises(SourceUnavailable, match="is in use by process"):
        await download_files([], tmp_path, client)


@each_row(
    ("name", "sums", "line", "expected"),
    [
        ("a.xml.gz", "http://x/a.xml.gz.md5", "MD5(a.xml.gz)= " + "AB" * 16, "md5:" + "ab" * 16),
        ("x-latest-a1.xml-p1p9.bz2", "http://x/sums", "0" * 40 + "  x-20261101-a1.xml-p1p9.bz2", "sha1:" + "0" * 40),
        ("b.tar", "http://x/sums", "1" * 64 + " *b.tar", "sha256:" + "1" * 64),
    ],
)
def test_checksums_are_read_as_publishers_write_them(name: str, sums: str, line: str, expected: str) -> None:
    other = "2" * 40 + "  x-20261101-a1.xml-p10p19.bz2\n" if sums.endswith("/sums") else ""
    assert find_checksum(f"{other}{line}\n", RemoteFile(name, f"http://x/{name}", 0, sums)) == expected


def test_a_list_without_the_file_gives_no_checksum_and_the_file_is_refused() -> None:
    with pytest.raises(SourceRefused, match="so it was not downloaded"):
        find_checksum("1" * 64 + "  other.tar\n", RemoteFile("b.tar", "http://x/b.tar", 0, "http://x/sums"))


async def test_a_recipe_with_a_licence_to_be_signed_is_not_fetched_and_says_how_to_get_it(
    client: Client, tmp_path: Path
) -> None:
    for name in ("umls", "drugbank"):
        with pytest.raises(SourceRefused, match=r"cannot be downloaded automatically\. "):
            await plan_acquisition(find_recipe(name), tmp_path, client)
    with pytest.raises(InaccessibleFile, match="no such file"):
        await plan_acquisition(find_recipe("umls"), tmp_path, client, own=[tmp_path / "META"])


async def test_a_part_of_a_recipe_takes_its_share(client: Client, tmp_path: Path) -> None:
    with archive(FILES) as served:
        whole = await plan_acquisition(BASELINE, tmp_path, client, url=at(served.url))
        part = await plan_acquisition(BASELINE, tmp_path, client, url=at(served.url), files=1)
    assert [remote.name for remote in part.remotes] == ["pubmed26n0001.xml.gz"]
    assert 3 * part.disk == pytest.approx(whole.disk, rel=0.1)
    assert part.download < whole.download


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return data.getvalue()


def named(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


async def test_packages_are_fetched_unpacked_and_read(client: Client, tmp_path: Path) -> None:
    article = jats(tmp_path / "article.nxml", 77).read_bytes()
    package = tar_of((named("PMC000/PMC77.nxml"), article), (named("PMC000/figure.jpg"), b"\xff\xd8"))
    recipe = find_recipe("pmc-oa")
    with archive({"/oa/oa_comm_xml.PMC000xxxxxx.baseline.2026-01-01.tar.gz": package}) as served:
        needed = await plan_acquisition(recipe, tmp_path, client, url=f"{served.url}/oa/")
        paths = await acquire_files(needed, tmp_path, client)
    Library.create(tmp_path / "libraries", "pmc", recipe.goes)
    library = Library.at(tmp_path / "libraries", "pmc", write=True)
    ended = await ingest_files(library, paths)
    assert (ended.documents, ended.failed) == (1, 0)
    assert (await library.search(Query(terms=(word(77),)), 1)).hits[0].passage.reference.id == "pmc:PMC77"
    assert not list((tmp_path / "downloads").rglob("*.jpg"))
    library.close()


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return data.getvalue()


async def test_an_archive_is_unpacked_once_and_again_when_it_has_changed(tmp_path: Path) -> None:
    packed = tmp_path / "master.zip"
    packed.write_bytes(zipped({"MedQuAD-master/1/0000001_1.xml": b"<Document/>", "MedQuAD-master/readme.txt": b"x"}))
    folder = unpack_archive(packed, tmp_path / "unpacked", XML)
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*.*")] == ["MedQuAD-master/1/0000001_1.xml"]
    made = folder.stat().st_ino
    assert unpack_archive(packed, tmp_path / "unpacked", XML).stat().st_ino == made
    packed.write_bytes(zipped({"MedQuAD-master/1/0000002_1.xml": b"<Document/>"}))
    assert [path.name for path in unpack_archive(packed, tmp_path / "unpacked", XML).rglob("*.xml")] == [
        "0000002_1.xml"
    ]


@each_row(
    ("member", "reason"),
    [
        (named("/etc/evil.xml"), "written outside its folder"),
        (named("../../evil.xml"), "written outside its folder"),
        (named("a/../../evil.xml"), "written outside its folder"),
        (named("a\\..\\evil.xml"), "written outside its folder"),
        (named("link.xml", tarfile.SYMTYPE, "/etc/passwd"), "a link or a device"),
        (named("hard.xml", tarfile.LNKTYPE, "good.xml"), "a link or a device"),
        (named("device.xml", tarfile.CHRTYPE), "a link or a device"),
        (named("pipe.xml", tarfile.FIFOTYPE), "a link or a device"),
        (named("good.xml"), "cannot be unpacked"),
    ],
)
def test_an_archive_with_a_suspect_member_is_refused_and_leaves_nothing(
    tmp_path: Path, member: tarfile.TarInfo, reason: str
) -> None:
    packed = tmp_path / "box" / "a.tar.gz"
    packed.parent.mkdir()
    packed.write_bytes(tar_of((named("good.xml"), b"<a/>"), (member, b"")))
    with pytest.raises(UnreadableFile, match=reason):
        unpack_archive(packed, tmp_path / "box" / "unpacked", XML)
    assert {path.name for path in tmp_path.rglob("*")} == {"box", "a.tar.gz", "unpacked"}


def test_a_zip_with_a_suspect_member_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.xml")
    link.external_attr = 0o120777 << 16
    for number, name in enumerate((link, "../evil.xml", "/evil.xml")):
        packed = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(packed, "w") as writing:
            writing.writestr(name, "<a/>")
        with pytest.raises(UnreadableFile, match=r"link or a device|outside its folder"):
            unpack_archive(packed, tmp_path / "unpacked", XML)


@each_row("harm", ["cut", "garbled", "rubbish"])
@each_row("kind", ["tar.gz", "zip"])
def test_a_damaged_archive_says_so_and_leaves_nothing(tmp_path: Path, kind: str, harm: str) -> None:
    content = bytes(range(256)) * 4_000
    whole = tar_of((named("a.xml"), content)) if kind == "tar.gz" else zipped({"a.xml": content})
    middle = len(whole) // 2
    harmed = {"cut": whole[:middle], "garbled": whole[:middle] + b"\0" * 40 + whole[middle + 40 :], "rubbish": b"no"}
    packed = tmp_path / f"a.{kind}"
    packed.write_bytes(harmed[harm])
    with pytest.raises(UnreadableFile, match=r"incomplete or damaged"):
        unpack_archive(packed, tmp_path / "unpacked", XML)
    assert list((tmp_path / "unpacked").iterdir()) == []


def test_an_archive_that_would_fill_the_disk_is_refused(tmp_path: Path) -> None:
    packed = tmp_path / "bomb.zip"
    packed.write_bytes(zipped({f"{number}.xml": b" " * 20_000_000 for number in range(5)}))
    with pytest.raises(UnreadableFile, match="200 times its size"):
        unpack_archive(packed, tmp_path / "unpacked", XML)
    packed.write_bytes(zipped({"large.xml": b" " * 300_000_000}))
    with pytest.raises(UnreadableFile, match="larger than 256 MB"):
        unpack_archive(packed, tmp_path / "unpacked", XML)
    assert list((tmp_path / "unpacked").iterdir()) == []


def test_every_recipe_says_what_it_is_under_which_licence_and_how_to_get_it() -> None:
    names = "pubmed-baseline pubmed-updates pmc-oa medquad wikipedia statpearls who-guidelines cdc-recommendations "
    names += "markdown-guidelines dailymed openfda-labels medlineplus do mondo hpo mesh umls drugbank"
    assert " ".join(recipe.name for recipe in RECIPES) == names
    for recipe in RECIPES:
        assert recipe.about and recipe.licence
        assert bool(recipe.url) != bool(recipe.by_hand)
        assert bool(recipe.url) == bool(recipe.files or recipe.pattern)
        assert not recipe.url or (recipe.url.startswith("https://") and recipe.url.endswith("/"))


async def read_into(home: Path, recipe: Recipe, needed: AcquisitionPlan, client: Client) -> Library:
    paths = await acquire_files(needed, home, client)
    Library.create(home / "libraries", recipe.name, recipe.goes)
    library = Library.at(home / "libraries", recipe.name, write=True)
    await ingest_files(library, paths)
    return library


@pytest.mark.nightly
async def test_real_records_and_articles_come_through_a_server_that_breaks_off(
    client: Client, tmp_path: Path, shared_data: Path
) -> None:
    with tarfile.open(shared_data / "fixtures" / "pubmed_xml.tar.gz") as tar:
        answers = {info.name: tar.extractfile(info) for info in tar.getmembers() if info.name.endswith(".xml")}
        sets = [data for file in answers.values() if file and b"<PubmedArticleSet" in (data := file.read())[:2_000]]
    assert len(sets) >= 3
    files = {f"/b/pubmed26n{number:04}.xml.gz": gzip.compress(data) for number, data in enumerate(sets, 1)}
    package = (shared_data / "fixtures" / "jats_sample.tar.gz").read_bytes()
    files["/oa/oa_comm_xml.sample.tar.gz"] = package
    cuts = {path: (len(content) // 2,) for path, content in files.items()}
    with archive(files, Mishaps(cuts=cuts)) as served:
        needed = await plan_acquisition(BASELINE, tmp_path, client, url=f"{served.url}/b/")
        records = await read_into(tmp_path, BASELINE, needed, client)
        oa = find_recipe("pmc-oa")
        articles = await read_into(
            tmp_path, oa, await plan_acquisition(oa, tmp_path, client, url=f"{served.url}/oa/"), client
        )
    assert (await records.describe()).documents >= len(sets)
    assert (await articles.describe()).documents == 100
    assert await records.find_unsearchable() == await articles.find_unsearchable() == []
    records.close()
    articles.close()
    shutil.rmtree(tmp_path / "downloads")
