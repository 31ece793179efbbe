"""Addresses that came from data: they may lead to the world, never into the user's own network.

The check sits where the connection is made. A name is looked up once, every address it has is judged, and the
connection goes to an address that was judged: what a name server says a moment later changes nothing.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpcore2

from wellsourced.errors import ForbiddenAddress

ResolveHost = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, as numbers. Raises OSError when there is none."""

SECONDS_PER_ADDRESS = 5.0
"""After which the next address of the same name is tried."""

GLOBAL_UNICAST = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")
"""RFC 6052: the IPv4 address is in the last 32 bits. Where a network has IPv6 alone, all of the web is in here."""

TUNNELS = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))
"""Teredo and 6to4 lead to IPv4 addresses that they carry inside; nobody serves articles there."""

RESERVED = (
    IPv4Network("192.0.0.0/24"),  # for protocols (RFC 6890); Python 3.11 knows a part of it
    IPv4Network("192.88.99.0/24"),  # 6to4 relays, retired
    IPv4Network("168.63.129.16/32"),  # the machine room of one cloud; those of others are link-local or shared anyway
    IPv6Network("3fff::/20"),  # for documentation (RFC 9637)
)


async def resolve_host(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a host."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public_address(address: str) -> bool:
    """Whether a numeric address is one of the public internet, however it is wrapped."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return _is_public_ipv4(parsed) if isinstance(parsed, IPv4Address) else _is_public_ipv6(parsed)


def _is_public_ipv4(address: IPv4Address) -> bool:
    # Python calls multicast global, because routers may forward it.
    return address.is_global and not address.is_multicast and not _is_within(address, RESERVED)


def _is_public_ipv6(address: IPv6Address) -> bool:
    if inside := address.ipv4_mapped:
        return _is_public_ipv4(inside)
    if address in NAT64:
        return _is_public_ipv4(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address in GLOBAL_UNICAST and address.is_global and not _is_within(address, TUNNELS + RESERVED)


def _is_within(address: IPv4Address | IPv6Address, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    return any(address in network for network in networks)


def is_disguised_address(host: str) -> bool:
    """Whether a host is a number in disguise: decimal, octal, hexadecimal, or with parts left out."""
    last = host.rstrip(".").rpartition(".")[2].lower()
    if not (last.isdigit() or last.startswith("0x")):
        return False
    try:
        IPv4Address(host)
    except ValueError:
        return True
    return False


class PublicNetworkBackend(httpcore2.AsyncNetworkBackend):
    """Connects to public addresses only.

    trusted   "host:port" that may be anywhere
    network   makes the connections; it is given numeric addresses alone
    """

    def __init__(self, trusted: frozenset[str], resolve: ResolveHost, network: httpcore2.AsyncNetworkBackend) -> None:
        self._network = network
        self._trusted = trusted
        self._resolve = resolve

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore2 names it)
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first address that answers. Raises ForbiddenAddress before anything is sent, ConnectError."""
        trusted = _host_and_port(host, port) in self._trusted
        if is_disguised_address(host) and not trusted:
            raise ForbiddenAddress(f"{host} is not followed: it is a disguised address")
        addresses = await self._resolve_addresses(host, port)
        # One address of the user's own among public ones is the mark of a trap.
        if not trusted and not all(map(is_public_address, addresses)):
            raise ForbiddenAddress(
                f"{host} is not on the public internet, so it is not followed: to trust it, add "
                f"“{_host_and_port(host, port)}” to network.private_hosts"
            )
        failure: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in addresses:
            try:
                return await self._network.connect_tcp(
                    address, port, SECONDS_PER_ADDRESS if len(addresses) > 1 else timeout, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore2.ConnectError(f"{host} has no address")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)

    async def _resolve_addresses(self, host: str, port: int) -> Sequence[str]:
        try:
            ip_address(host)
        except ValueError:
            pass
        else:
            return [host]
        try:
            return await self._resolve(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error


def _host_and_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
