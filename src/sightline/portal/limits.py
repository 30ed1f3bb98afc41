"""Limits how often one person or one address may do something."""

from ipaddress import IPv6Address, ip_address

from sightline.platform.limits import Limit


class Limits:
    """The limits of all portals of this process."""

    def __init__(self) -> None:
        self.callbacks_without_state = Limit(120, 60)
        self.refused_tokens = Limit(20, 600)
        self.uses_of_token = Limit(20, 600)
        self.votes = Limit(60, 60)
        self.look_ups = Limit(120, 60)
        self.requests = Limit(5, 600)
        self.comments = Limit(10, 600)
        self.signed_out_forms = Limit(30, 60)


def network_of(address: str) -> str:
    """Returns the address to count by: for IPv6 the /64 network, which belongs to one customer."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or int(parsed) >> 64)
