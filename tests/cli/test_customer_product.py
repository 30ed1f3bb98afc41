"""The port of the example product beside the demo."""

import socket
from pathlib import Path

from sightline.sample.customer_product import HOST, CustomerProduct


def product_beside(port: int) -> CustomerProduct:
    return CustomerProduct(Path("app.py"), port - 1)


def test_a_restart_keeps_the_port_while_old_connections_linger() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        client = socket.create_connection((HOST, port))
        accepted, _ = server.accept()
    with client:
        accepted.close()  # the side that closes first keeps the connection for a while
        assert client.recv(1) == b""
    assert product_beside(port).port == port


def test_the_highest_port_has_no_port_beside_it() -> None:
    assert 0 < product_beside(65536).port < 65536


def test_a_port_that_is_listened_to_is_left_alone() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        assert product_beside(port).port not in (0, port)
