"""Hosts and origins as browsers write them: read strictly, compared by name and port."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from urllib.parse import quote

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::([0-9]{1,5}))?", re.IGNORECASE | re.ASCII)


def authority(text: str, scheme: str = "http") -> tuple[str, int] | None:
    """Name, in lower case, and port of "name" or "name:port"; None for anything else."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        return None
    name, port = found[1].lower(), int(found[2]) if found[2] else PORTS[scheme]
    if name.startswith("["):
        try:
            name = f"[{ipaddress.IPv6Address(name[1:-1]).compressed}]"
        except ValueError:
            return None
    return name, port


def same_origin(origin: str, host: str, schemes: Collection[str] = ("http",)) -> bool:
    """Whether a page of this origin is a page of this host.

    schemes : under which the studio is reached.
    """
    scheme, mark, rest = origin.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in schemes:
        return False
    whose = authority(rest, scheme)
    return whose is not None and whose == authority(host, scheme)


def is_local(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str) -> tuple[str, ...]:
    """The names under which a studio that listens on this machine's own `host` may be asked for."""
    return tuple(dict.fromkeys((*LOCAL_NAMES, in_address(host))))


def in_address(host: str) -> str:
    """The host as it stands in an address."""
    if ":" not in host:
        return host.lower()
    plain, _, zone = host.partition("%")
    if zone:
        return f"[{host.lower()}]"
    return f"[{ipaddress.IPv6Address(plain).compressed}]"


def address(host: str, port: int, token: str = "") -> str:
    """Where the studio is; token : what lets a visitor in, if anything has to."""
    return f"http://{in_address(host)}:{port}/" + (f"?token={quote(token)}" if token else "")
