"""`wellsourced serve` and `mcp`: answers in a browser, over HTTP, and for AI assistants (Model Context Protocol)."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.errors import NextStep, SettingsError

if TYPE_CHECKING:
    from uvicorn import Server


LOCAL_HOST = "127.0.0.1"

CONCURRENT_CONNECTIONS = 1_500
"""Further connections are asked to come later."""

REQUESTS_PER_MINUTE = 120
"""Requests that each token may send by default: a page takes three or four."""

STARTED_SECONDS = 0.02
"""How often it is looked whether the server listens."""

SHUTDOWN_SECONDS = 5
"""Seconds that answers in work are given when the server is stopped."""


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced serve
      curl --json '{"question": "How is gout treated?"}' http://127.0.0.1:8808/api/v1/ask
      wellsourced serve --library trials --port 9000
      wellsourced serve --host 0.0.0.0 --tokens tokens.txt
    """
)
@click.option("--host", default=LOCAL_HOST, show_default=True, help="Address to listen on; any other needs --tokens.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8808,
    show_default=True,
    help="Port to listen on; 0: any free one.",
)
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with a token in each line, one of which each request needs.",
)
@click.option(
    "--requests-per-minute",
    "per_minute",
    type=click.IntRange(0, 100_000),
    help=f"Requests per token; 0: no limit [{REQUESTS_PER_MINUTE} with tokens].",
)
@click.option("--library", "libraries", metavar="NAME", multiple=True, help="Search only this library; repeatable.")
@click.pass_context
def serve(
    ctx: click.Context, host: str, port: int, tokens: Path | None, per_minute: int | None, libraries: tuple[str, ...]
) -> None:
    """Answer in a browser and over HTTP, until Ctrl-C. Open the address that is printed.

    Programs POST to /api/v1/ask, which returns what `wellsourced ask --json` prints; /openapi.json describes the rest.
    A server that other machines can reach needs tokens. Requests are not logged.
    """
    limit = (REQUESTS_PER_MINUTE if tokens else 0) if per_minute is None else per_minute
    run_server(ctx.obj, (host, port), tokens, limit, libraries)


def run_server(
    flags: Mapping[str, Any], address: tuple[str, int], tokens: Path | None, per_minute: int, libraries: Sequence[str]
) -> None:
    """Serve until the process ends. Raises SettingsError for an address that is taken or open to others, and without
    the extra."""
    try:
        import uvicorn

        from wellsourced.server.access import decide_access, read_tokens
        from wellsourced.server.application import build_application
    except ModuleNotFoundError as error:
        raise SettingsError(
            messages.MISSING_PACKAGE.format(what="The server", module=error.name or ""),
            next_step=NextStep("install extra", "serve"),
        ) from error
    host, port = address
    settings = config.load(flags)
    access = decide_access(host, read_tokens(tokens) if tokens else (), per_minute)

    async def run() -> None:
        async with AsyncExitStack() as opened:

            async def open_context() -> None:
                # What is answered meanwhile is answered from the one before, which stays open until the end.
                context = config.open_context(settings, libraries=libraries)
                application.state.context = await opened.enter_async_context(context)

            application = build_application(access, settings=settings, flags=flags)
            application.state.reopen_context = open_context
            click.echo(messages.OPENING_LIBRARIES + " …", err=True)
            await open_context()
            server = uvicorn.Server(
                uvicorn.Config(
                    application,
                    host=host,
                    port=port,
                    access_log=False,
                    log_level="critical",
                    server_header=False,
                    limit_concurrency=CONCURRENT_CONNECTIONS,
                    timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                )
            )
            announcing = asyncio.create_task(_tell_address(server))
            try:
                await server.serve()
            finally:
                announcing.cancel()

    try:
        asyncio.run(run())
    except SystemExit as error:
        # All that uvicorn says of a place where it cannot listen.
        raise SettingsError(messages.CANNOT_LISTEN.format(host=host, port=port)) from error


async def _tell_address(server: "Server") -> None:
    while not server.started:  # noqa: ASYNC110 - uvicorn tells by this flag alone
        await asyncio.sleep(STARTED_SECONDS)
    for listening in (socket for listener in server.servers for socket in listener.sockets):
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        click.echo(messages.LISTENING.format(address=address), err=True)


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced mcp                      an assistant starts this itself
      wellsourced mcp --http --port 8809   an assistant connects to http://127.0.0.1:8809/mcp
    """
)
@click.option("--http", "is_http", is_flag=True, help="Use streamable HTTP instead of standard input and output.")
@click.option(
    "--port", type=click.IntRange(1, 65_535), default=8809, show_default=True, help="With --http: port to listen on."
)
@click.option("--library", "libraries", metavar="NAME", multiple=True, help="Search only this library; repeatable.")
@click.pass_context
def mcp(ctx: click.Context, is_http: bool, port: int, libraries: tuple[str, ...]) -> None:
    """Run an MCP server with the tools search, open, ask, check and explain.

    In the settings of an assistant, enter the command `wellsourced` with the argument `mcp`. Requests are not logged,
    and your settings decide what leaves this machine, as for every other command.
    """
    # Whoever reached the tools from another machine could ask: they are for this one alone.
    run_tools(config.load(ctx.obj), libraries, (LOCAL_HOST, port) if is_http else None)


def run_tools(settings: config.Settings, libraries: tuple[str, ...], address: tuple[str, int] | None) -> None:
    """Serve tools until the assistant leaves, or the process ends. Raises SettingsError without the package mcp.

    address   where to listen; None: standard input and output
    """
    try:
        from wellsourced.server.assistant_tools import build_tool_server
    except ModuleNotFoundError as error:
        raise SettingsError(
            messages.MISSING_PACKAGE.format(what="The MCP server", module=error.name or ""),
            next_step=NextStep("install extra", "mcp"),
        ) from error

    async def run() -> None:
        async with config.open_context(settings, libraries=libraries) as context:
            server = build_tool_server(context, settings)
            if address is None:
                await server.run_stdio_async()
            else:
                click.echo(messages.LISTENING.format(address=f"http://{address[0]}:{address[1]}/mcp"), err=True)
                await server.run_streamable_http_async(host=address[0], port=address[1])

    asyncio.run(run())
