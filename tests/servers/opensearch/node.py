"""A real OpenSearch on loopback: built from its jars with Maven, one node or several, started, killed and ended.

Nothing of it is in the repository: jars and the compiled launcher lie in build/opensearch. Java 17 runs OpenSearch
2.19, Java 21 and newer 3.5; `JAVA_HOME` chooses among those that are installed.
"""

import fcntl
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

HERE = Path(__file__).parent
BUILT = HERE.parents[2] / "build" / "opensearch"

PATIENCE = 120.0
"""Seconds within which a node answers, and a cluster has all its shards."""

HEAP = "512m"

QUICK_START = ("-XX:TieredStopAtLevel=1",)
"""For servers that live for seconds: they compile less. Who measures speed leaves it out."""

VERSIONS_FOR_JAVA_17 = ("-Dserver.version=2.19.1", "-Dknn.version=2.19.1.0", "-Dlog4j.version=2.21.0")

MODULES = ("transport.Netty4", "analysis.common.CommonAnalysis", "painless.Painless", "index.reindex.Reindex")
"""Classes of modules of the server, without their endings."""


class Server(NamedTuple):
    """A server that can be started: the home of its Java, its major version, and the folder of its jars."""

    java: Path
    major: int
    jars: Path


def find_java() -> tuple[Path, int] | None:
    """The home of a JDK that can run a server, and its version: that of JAVA_HOME, or the newest that is installed."""
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else Path("/usr/lib/jvm").glob("*")
    versions = [(home, _read_java_version(home)) for home in homes if (home / "bin" / "javac").is_file()]
    return max(
        (one for one in versions if one[1] == 17 or one[1] >= 21), key=lambda one: (one[1], str(one[0])), default=None
    )


def _read_java_version(home: Path) -> int:
    release = home / "release"
    found = re.search(r'JAVA_VERSION="(\d+)', release.read_text()) if release.is_file() else None
    return int(found[1]) if found else 0


def describe_missing() -> str:
    """Why no server can be built here; "" where one can."""
    if not find_java():
        return "no JDK of Java 17, or 21 and newer, is installed"
    return "" if shutil.which("mvn") else "Maven is not installed"


def build_server() -> Server:
    """The server for this machine's Java, built with the first call. Raises CalledProcessError without the jars."""
    java, version = find_java() or (Path(), 0)
    server = Server(java, 3 if version >= 21 else 2, BUILT / f"java-{version}")
    BUILT.mkdir(parents=True, exist_ok=True)
    # Of several processes that test at once, one builds it.
    with server.jars.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not server.jars.is_dir():
            _build_server(server)
    return server


def _build_server(server: Server) -> None:
    # It is there whole or not at all.
    raw, plugin, classes = (
        server.jars.with_name(f"{server.jars.name}-{part}") for part in ("new", "plugin", "classes")
    )
    for folder in (raw, plugin, classes):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

    def run(*command: object) -> None:
        environment = {**os.environ, "JAVA_HOME": str(server.java)}
        subprocess.run([str(part) for part in command], check=True, env=environment, stdout=subprocess.DEVNULL)

    maven = ["mvn", "-q", "-B", "-f", HERE / "pom.xml", *(VERSIONS_FOR_JAVA_17 if server.major == 2 else ())]
    run(*maven, "dependency:copy-dependencies", f"-DoutputDirectory={raw}", "-DexcludeTypes=zip")
    # Maven notes beside what it unpacks that it has done so.
    unpacked = f"-DoutputDirectory={plugin}", f"-DmarkersDirectory={plugin}"
    run(*maven, "dependency:unpack-dependencies", *unpacked, "-DincludeTypes=zip", "-DexcludeTransitive=true")
    if server.major == 2:
        # The plugin brings its own versions of these two.
        for jar in (*raw.glob("guava-*.jar"), *raw.glob("failureaccess-*.jar")):
            jar.unlink()
    for jar in plugin.glob("*.jar"):
        if not (raw / jar.name).exists():
            jar.rename(raw / jar.name)
    stand_ins = sorted((HERE / "stand_ins").glob("*.java")) if server.major >= 3 else []
    compiler = [server.java / "bin" / "javac", "-nowarn", "-cp", f"{raw}/*", "-d", classes]
    run(*compiler, HERE / "NodeLauncher.java", *stand_ins)
    run(server.java / "bin" / "jar", "cf", raw / "launcher.jar", "-C", classes, ".")
    shutil.rmtree(plugin)
    shutil.rmtree(classes)
    raw.rename(server.jars)


class Node:
    """One process of a server. Its standard input is ours: it ends when this process does, however that ends."""

    def __init__(
        self, server: Server, home: Path, name: str, ports: Sequence[int], at: int, flags: Sequence[str]
    ) -> None:
        """`ports` are those for HTTP of all nodes of the cluster, then those between nodes; `at` says which it is."""
        self.name, self.url = name, f"http://127.0.0.1:{ports[at]}"
        count = len(ports) // 2
        names = [f"n{number}" for number in range(1, count + 1)]
        ending = "ModulePlugin" if server.major >= 3 else "Plugin"
        modules = [f"org.opensearch.{module}{ending}" for module in MODULES]
        settings = {
            "cluster.name": f"wellsourced-{ports[0]}",
            "node.name": name,
            "path.home": str(home / name),
            "list:path.repo": str(home / "snapshots"),
            "network.host": "127.0.0.1",
            "http.port": str(ports[at]),
            "http.type": "netty4",
            "transport.type": "netty4",
            "transport.port": str(ports[count + at]),
            "list:discovery.seed_hosts": ",".join(f"127.0.0.1:{port}" for port in ports[count:]),
            "list:cluster.initial_cluster_manager_nodes": ",".join(names),
            # A machine whose disk is nearly full tests all the same; who tests that sets it.
            "cluster.routing.allocation.disk.threshold_enabled": "false",
        }
        archive = (
            [f"-XX:SharedArchiveFile={server.jars}.jsa", "-XX:+AutoCreateSharedArchive"] if server.major > 2 else []
        )
        self._command = [
            str(server.java / "bin" / "java"),
            f"-Xms{HEAP}",
            f"-Xmx{HEAP}",
            "-XX:+ExitOnOutOfMemoryError",
            *archive,
            *flags,
            "-cp",
            f"{server.jars}/*",
            "NodeLauncher",
            *(f"plugin={name}" for name in (*modules, "org.opensearch.knn.plugin.KNNPlugin")),
            *(f"{key}={value}" for key, value in settings.items()),
        ]
        self.log = home / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=log, stderr=log)

    def kill(self) -> None:
        """End it as a machine that fails does."""
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def stop(self) -> None:
        if self._process:
            try:
                self._process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def ask(self, method: str, path: str, json: Any = None) -> Any:
        """What it answers, past the project's own client: tests look behind it. Raises HTTPError."""
        with httpx2.Client(trust_env=False, timeout=60) as http:
            answer = http.request(method, f"{self.url}{path}", json=json)
            answer.raise_for_status()
            return answer.json() if answer.content else None

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def wait_until(self, status: str = "green", nodes: int = 1) -> None:
        """Wait until the cluster, as this node sees it, is so well and so large. Raises TimeoutError with its log."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                break
            try:
                wait = f"wait_for_status={status}&wait_for_nodes=>={nodes}&timeout=20s"
                if not self.ask("GET", f"/_cluster/health?{wait}")["timed_out"]:
                    return
            except httpx2.HTTPError:
                time.sleep(0.2)
        end = self.log.read_text(errors="replace")[-3000:]
        raise TimeoutError(f"{self.name} of OpenSearch is not {status}:\n{end}")


@contextmanager
def running_nodes(home: Path, count: int = 1, flags: Sequence[str] = QUICK_START) -> Iterator[list[Node]]:
    """A cluster of so many nodes, green; ended with the block."""
    server, ports = build_server(), find_free_ports(2 * count)
    nodes = [Node(server, home, f"n{at + 1}", ports, at, flags) for at in range(count)]
    with ExitStack() as ending:
        for node in nodes:
            ending.callback(node.stop)
            node.start()
        for node in nodes:
            node.wait_until(nodes=count)
        yield nodes


def find_free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on."""
    with ExitStack() as open_:
        sockets = [open_.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
