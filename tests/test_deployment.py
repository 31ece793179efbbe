"""How the server is run: the container file and the unit of systemd fit the program, and their steps run."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.server.conftest import TOKEN, guarded
from tests.servers.base import Said, serving
from wellsourced import config
from wellsourced.app.commands.serve import serve
from wellsourced.server.access import OPEN_PATHS

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "deploy" / "wellsourced.service"
PROXY = ROOT / "deploy" / "nginx.conf"
PROXY_OF_SEVERAL = ROOT / "deploy" / "nginx-several.conf"
PORT = "8808"
NGINX_FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")

needs_nginx = pytest.mark.skipif(
    not shutil.which("nginx"), reason="there is no nginx here: apt-get install nginx-light"
)


__all__ = ["guarded"]


class Step(NamedTuple):
    """An instruction of a container file."""

    name: str
    words: str


def read_steps() -> list[Step]:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", text)).splitlines()
    return [Step(*line.split(maxsplit=1)) for line in lines if line]


def list_words(name: str) -> list[str]:
    return [one.words for one in read_steps() if one.name == name]


def read_environment() -> dict[str, str]:
    return dict(word.split("=", 1) for words in list_words("ENV") for word in shlex.split(words))


def read_health_check() -> list[str]:
    (words,) = list_words("HEALTHCHECK")
    return [str(one) for one in json.loads(words.partition(" CMD ")[2])]


def list_sources() -> Iterator[str]:
    """What is copied from the repository."""
    for words in list_words("COPY"):
        if not words.startswith("--from="):
            yield from words.split()[:-1]


def is_sent(path: str) -> bool:
    """Whether `.dockerignore` lets a path through."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    rules = [line for line in lines if line == "*" or line.startswith("!")]
    return any(rule.startswith("!") and fnmatch(path, rule[1:]) for rule in rules)


def list_options() -> set[str]:
    return {option for parameter in serve.params for option in parameter.opts}


def test_what_the_container_copies_is_there_and_is_sent() -> None:
    for path in list_sources():
        assert (ROOT / path).exists(), path
        assert is_sent(path), path


def test_the_container_is_no_root_and_installs_nothing_without_its_hash() -> None:
    assert list_words("USER") == ["10001"]
    *_, packages, ours = (words for words in list_words("RUN") if " install " in words)
    for option in ("--require-hashes", "--no-deps", "--only-binary :all:", "constraints/serve.txt"):
        assert option in packages
    assert "--no-deps --no-build-isolation" in ours


def test_the_container_starts_a_server_that_wants_tokens_and_fetches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,), (command,) = list_words("ENTRYPOINT"), list_words("CMD")
    words = json.loads(entry) + json.loads(command)
    assert words[:2] == ["wellsourced", "serve"]
    assert {word for word in words if word.startswith("--")} == {"--host", "--tokens"} <= list_options()
    for name, value in read_environment().items():
        monkeypatch.setenv(name, value)
    settings = config.load()
    assert settings.network.offline
    (kept,) = list_words("VOLUME")
    assert settings.home.is_relative_to(kept)
    assert PORT in list_words("EXPOSE")
    (path,) = re.findall(rf"http://127\.0\.0\.1:{PORT}(/\w+)", read_health_check()[-1])
    assert path in OPEN_PATHS


def test_the_pins_of_the_container_are_of_one_python_that_we_support() -> None:
    (base,) = list_words("ARG")
    (version,) = re.findall(r"python:([\d.]+)-slim", base)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["requires-python"] == f">={version}"


@pytest.mark.nightly
def test_the_steps_of_the_container_file_lead_to_a_server_that_answers(tmp_path: Path) -> None:
    """In folders of their own in place of a container's: all steps but the user's, who needs a container."""
    run_build_steps(tmp_path)
    environment = {name: move(value, tmp_path) for name, value in read_environment().items()}
    (tmp_path / "run" / "secrets").mkdir(parents=True)
    (tmp_path / "run" / "secrets" / "tokens").write_text(TOKEN, encoding="utf-8")
    ((entry,), (command,)) = list_words("ENTRYPOINT"), list_words("CMD")
    words = [move(word, tmp_path) for word in json.loads(entry) + json.loads(command)]
    words = ["127.0.0.1" if word == "0.0.0.0" else word for word in words]  # noqa: S104 - a test is open to nobody
    program = str(tmp_path / "opt" / "wellsourced" / "bin" / words[0])
    home = tmp_path / "var" / "lib" / "wellsourced"
    options = ["--port", "0"]
    with subprocess.Popen(
        [program, *words[1:], *options], env=environment, cwd=home, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        try:
            told = next(line for line in server.stderr if "Listening on " in line)
            address = told.split("Listening on ")[1].split()[0].rstrip(".")
            check = [move(word, tmp_path).replace(f"127.0.0.1:{PORT}", address[7:]) for word in read_health_check()]
            assert subprocess.run(check, env=environment, check=False).returncode == 0
            sources = httpx.get(f"{address}/api/v1/sources", headers={"authorization": f"Bearer {TOKEN}"}).json()
        finally:
            server.terminate()
    assert [one["name"] for one in sources] == ["guidelines"]
    assert (home / "home" / "libraries" / "guidelines").is_dir()


def run_build_steps(root: Path) -> None:
    """COPY and RUN of the first stage, and of the second what does not make a user, below another root."""
    here = root
    for step in read_steps():
        if step.name == "WORKDIR":
            here = Path(move(step.words, root))
            here.mkdir(parents=True, exist_ok=True)
        elif step.name == "COPY" and not step.words.startswith("--from="):
            *sources, to = step.words.split()
            for source in sources:
                copy_from_repository(source, here / to / Path(source).name if to == "./" else here / to)
        elif step.name == "RUN" and not step.words.startswith("useradd "):
            run_shell(move(step.words, root), here, {"PATH": os.environ["PATH"], "HOME": str(root)})


def copy_from_repository(source: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if (ROOT / source).is_dir():
        shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(ROOT / source, to)


def run_shell(words: str, here: Path, environment: Mapping[str, str]) -> None:
    pip = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    subprocess.run(["sh", "-c", words], cwd=here, env={**environment, **pip}, check=True, stdout=subprocess.DEVNULL)


def move(words: str, root: Path) -> str:
    """Words with a container's folders below another root."""
    return re.sub(r"(?<![\w/.])(/opt/|/src\b|/var/lib/|/run/secrets/)", lambda one: f"{root}{one[1]}", words)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_understands_the_unit_and_finds_it_closed(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/wellsourced/bin/wellsourced", "/bin/true"))
    told = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", unit]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_unit_starts_what_the_program_has_and_keeps_all_in_one_folder() -> None:
    text = UNIT.read_text(encoding="utf-8")
    (command,) = re.findall(r"(?m)^ExecStart=(.*)$", text)
    assert {word for word in command.split() if word.startswith("--")} <= list_options()
    assert "StateDirectory=wellsourced\n" in text
    assert "WELLSOURCED_HOME=/var/lib/wellsourced " in text
    assert "WELLSOURCED_NETWORK__OFFLINE=true" in text


@contextmanager
def running_proxy(folder: Path, server: str, *others: str) -> Iterator[str]:
    """The address of nginx with our example, on a free port and with a certificate of its own.

    others   further servers: then it is the example for several
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    example = (PROXY_OF_SEVERAL if others else PROXY).read_text(encoding="utf-8")
    places = {f"http://127.0.0.1:{PORT}": server}
    if others:
        hosts = (f"10.0.0.{11 + place}:{PORT}" for place in range(1 + len(others)))
        places = {host: one.removeprefix("http://") for host, one in zip(hosts, (server, *others), strict=True)}
    for before, after in {
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/wellsourced": str(folder),
        "error_log /dev/null emerg": f"error_log {folder}/errors warn",
        **places,
    }.items():
        assert before in example
        example = example.replace(before, after)
    temporary = "".join(f"{one}_temp_path {folder}/{one};\n" for one in NGINX_FOLDERS)
    main = f"daemon off;\npid {folder}/pid;\nerror_log {folder}/errors;\nevents {{}}\nhttp {{\n{temporary}{example}}}\n"
    (folder / "nginx.conf").write_text(main, encoding="utf-8")
    with subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL) as proxy:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        try:
            yield f"https://localhost:{port}"
        finally:
            proxy.terminate()


@needs_nginx
def test_behind_the_proxy_events_come_one_by_one_and_nothing_is_laid_down(tmp_path: Path) -> None:
    is_heard = threading.Event()

    def tell() -> Iterator[bytes]:
        yield b"event: step\ndata: 1\n\n"
        yield b"event: ended\ndata: 2\n\n" if is_heard.wait(20) else b"event: late\n\n"

    with (
        serving(lambda asked: Said(tell(), type="text/event-stream")) as server,
        running_proxy(tmp_path, server.url) as proxy,
        httpx.stream("POST", proxy, content=b"x" * 3_000_000, verify=False, timeout=30) as told,  # noqa: S501 - its own
    ):
        pieces = told.iter_text()
        assert "data: 1" in next(pieces)
        is_heard.set()
        assert "data: 2" in "".join(pieces)
    assert len(server.asked[0].body) == 3_000_000
    log = (tmp_path / "errors").read_text(encoding="utf-8")
    assert "temporary file" not in log


@needs_nginx
@pytest.mark.slow
def test_a_visitor_of_the_proxy_signs_in_and_asks(guarded: str, tmp_path: Path) -> None:
    with running_proxy(tmp_path, guarded) as proxy:
        headers = {"accept": "text/html", "origin": proxy}
        with httpx.Client(base_url=proxy, headers=headers, verify=False, timeout=60) as visitor:  # noqa: S501 - its own
            cookie = visitor.post("/sign-in", data={"token": TOKEN}).headers["set-cookie"]
            assert "Secure" in cookie
            assert f"location.href=&#39;{proxy}/check?address=" in visitor.get("/check").text
            way = visitor.post("/ask", data={"question": "How is gout treated?"}).headers["location"]
            assert '"finished"' in visitor.get(f"{way}/events").text
            assert "In short" in visitor.get(way).text
            evil = visitor.post("/ask", data={"question": "How?"}, headers={"origin": "https://evil.example"})
            assert evil.status_code == 403
