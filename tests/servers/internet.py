"""The public internet, as far as it exists in a test: some public addresses, each of which is a server on loopback."""

from collections.abc import Iterable, Mapping, Sequence

import httpcore2


class Internet(httpcore2.AsyncNetworkBackend):
    """Makes real connections, to the loopback server that stands for an address.

    machines   public address → port on loopback
    names      name → what name servers say, one answer after another; the last one stays
    connected  the addresses that were connected to; look_up_files the names
    """

    def __init__(self, machines: Mapping[str, int], names: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._machines = machines
        self._names = {name: list(answers) for name, answers in names.items()}
        self._loopback = httpcore2.AnyIOBackend()
        self.connected: list[str] = []
        self.looked_up: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.looked_up.append(host)
        if host not in self._names:
            raise OSError(f"{host}: unknown")
        answers = self._names[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore2 names it)
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.connected.append(host)
        if host not in self._machines:
            raise httpcore2.ConnectError(f"{host} does not answer")
        return await self._loopback.connect_tcp("127.0.0.1", self._machines[host], timeout)
