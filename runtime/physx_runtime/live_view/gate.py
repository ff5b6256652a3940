"""Who a live view answers: its own page alone, not the pages of other sites that a browser has open.

A page of any site can send requests to this machine's loopback address: by its number, which browsers mark with the
site's `Origin`, or by a name of the site that DNS points here (DNS rebinding), which then stands in `Host`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from websockets.asyncio import server

from physx_schema.errors import UnsupportedError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
HTTP_PORT = 80          # which addresses leave out
Answer = Callable[[Any, Any], Any]      # connection, request -> response, None to go on, or an awaitable of these


@contextmanager
def own_pages_only(hosts: Sequence[str] = ()) -> Iterator[None]:
    """Have the server that is started in the block refuse requests for other hosts and of other origins, with 403.

    hosts: names besides those of the loopback address. viser passes no handler of requests on to the server of
    `websockets` that it starts, so that class is replaced for as long. Raises UnsupportedError where none is started.
    """
    started: list[int] = []
    serve = server.serve

    def guarded(*arguments: Any, process_request: Answer | None = None, **options: Any) -> Any:
        def answered(connection: Any, request: Any) -> Any:
            reason = fault(request.headers, connection.local_address[1], hosts)
            if reason:
                return connection.respond(HTTPStatus.FORBIDDEN, f"{reason}\n")
            return process_request(connection, request) if process_request else None

        started.append(1)
        return serve(*arguments, process_request=answered, **options)

    setattr(server, "serve", guarded)       # noqa: B010  a class, which mypy lets nobody assign to
    try:
        yield
    finally:
        setattr(server, "serve", serve)     # noqa: B010
    if not started:
        raise UnsupportedError("the installed viser starts its server in a way that cannot be guarded; "
                               "pip install --upgrade 'physx-schema[view]'")


def fault(headers: Any, port: int, hosts: Sequence[str] = ()) -> str:
    """Why a request is refused, "" for one of an own page. A program that is no browser sends no `Origin`."""
    names = [name.lower() for name in (*LOOPBACK_NAMES, *hosts)]
    addresses = {f"{name}:{port}" for name in names} | (set(names) if port == HTTP_PORT else set())
    asked, origins = headers.get_all("Host"), headers.get_all("Origin")
    if len(asked) != 1 or asked[0].lower() not in addresses:
        return "Host is not the address of this server"
    if any(origin.lower() not in {f"http://{address}" for address in addresses} for origin in origins):
        return "Origin is another site"
    return ""
