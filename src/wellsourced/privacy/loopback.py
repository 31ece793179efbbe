"""This machine, as a host may name it."""

import re
from ipaddress import IPv6Address, ip_address

_NUMERIC_HOST = re.compile(r"(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}", re.IGNORECASE)
"""An address of IPv4 in any spelling that systems take: "127.1", "0x7f000001"."""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as far as its name says; a name is never looked up."""
    bare = host.strip("[]").rstrip(".").lower()
    try:
        address = ip_address(bare)
    except ValueError:
        return bare == "localhost" or (_NUMERIC_HOST.fullmatch(bare) is not None and _first_byte(bare) == 127)
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback


def is_plain_loopback(host: str) -> bool:
    """Whether a host is plainly this machine, for whoever may then be told more: any other spelling is elsewhere."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _first_byte(number: str) -> int:
    """The first byte of an address of IPv4, read as inet_aton does; -1 for one that it does not read."""
    parts = number.split(".")
    try:
        values = [
            int(part, 16 if part[:2] == "0x" else 8 if part[0] == "0" and len(part) > 1 else 10) for part in parts
        ]
    except ValueError:
        return -1
    if any(value > 255 for value in values[:-1]) or values[-1] >= 256 ** (5 - len(parts)):
        return -1
    return values[0] if len(values) > 1 else values[0] >> 24
