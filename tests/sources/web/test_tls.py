"""Pages by https: the certificate has to be of the host that is named, though an address is connected to."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from sightline.sources.pages import PageUnavailable
from sightline.sources.web.fetching import Fetcher
from sightline.sources.web.gate import Gate, Target
from tests.sources.web.loopback import LOOPBACK, Host, http

NAME = "trade.example"


def make_certificate(folder: Path) -> Path:
    """A certificate for one name, signed by itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "host.pem"
    file.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
    return file


@asynccontextmanager
async def hosting(certificate: Path) -> AsyncIterator[Host]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    host = Host(answers={"/": http("found")})
    server = await asyncio.start_server(host.serve, "127.0.0.1", 0, ssl=context)
    host.port = server.sockets[0].getsockname()[1]
    try:
        yield host
    finally:
        server.close()
        await asyncio.gather(*host.tasks, return_exceptions=True)


async def permit(_target: Target) -> None:
    """Permits every request."""


async def resolve(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


async def test_a_host_has_to_have_a_certificate_of_its_name(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    trusting = Fetcher(Gate(LOOPBACK, resolve), tls=ssl.create_default_context(cafile=certificate))
    async with hosting(certificate) as host:
        found = await trusting.fetch(f"https://{NAME}:{host.port}/", permit)
        assert found.content == b"found"
        for fetcher, name in ((trusting, "other.example"), (Fetcher(Gate(LOOPBACK, resolve)), NAME)):
            with pytest.raises(PageUnavailable, match="cannot be reached"):
                await fetcher.fetch(f"https://{name}:{host.port}/", permit)
        assert len(host.requests) == 1


async def test_what_is_no_tls_after_a_good_handshake_is_no_page(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>")
        await writer.drain()
        os.write(writer.get_extra_info("socket").fileno(), b"This is no record of TLS. " * 9)
        await reader.read()
        writer.close()

    certificate = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    trusting = Fetcher(Gate(LOOPBACK, resolve), tls=ssl.create_default_context(cafile=certificate))
    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(PageUnavailable, match="did not answer in HTTP"):
            await trusting.fetch(f"https://{NAME}:{port}/", permit)
