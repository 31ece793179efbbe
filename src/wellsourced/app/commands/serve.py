"""`wellsourced serve` and `mcp`: answers in a browser, over HTTP, and for AI assistants (Model Context Protocol)."""

import asyncio
import resource
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.question_input import library_option
from wellsourced.errors import NextStep, SettingsError

LOCAL_HOST = "127.0.0.1"

OPEN_FILES = 4_096
"""Descriptors that the process asks for: many systems give 1,024 at first, less than connections need."""

IDLE_SECONDS = 30
"""How long a connection stays open without a request: longer than clients keep theirs, which would use closed ones."""

REQUESTS_PER_MINUTE = 120
"""Requests that each token may send by default: a page takes three or four."""

SHUTDOWN_SECONDS = 5
"""Seconds that answers in progress are given when the server is stopped."""


@click.command()
@click.option("--host", default=LOCAL_HOST, show_default=True, help="Address to listen on; non-local needs --tokens.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8808,
    show_default=True,
    help="Port to listen on; 0 picks a free port.",
)
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with one token per line; every request must carry one. “editor” behind it: may add files.",
)
@click.option(
    "--requests-per-minute",
    "per_minute",
    type=click.IntRange(0, 100_000),
    help=f"Requests per token and minute; 0: no limit [{REQUESTS_PER_MINUTE} with tokens].",
)
@library_option
@click.pass_context
def serve(
    ctx: click.Context, host: str, port: int, tokens: Path | None, per_minute: int | None, libraries: tuple[str, ...]
) -> None:
    """Answer in a browser and over HTTP, until Ctrl-C. Open the address that is printed.

    Programs POST to /api/v1/ask, which returns what `wellsourced ask --json` prints; /openapi.json describes the rest.
    A server that other machines can reach needs tokens. Requests are not logged.
    """
    try:
        import uvicorn

        from wellsourced.server.access import TokenFile, decide_access
        from wellsourced.server.application import build_application
        from wellsourced.server.slow_clients import SlowClientProtocol
    except ModuleNotFoundError as error:
        message = messages.SERVER_NEEDS_PACKAGE.format(module=error.name)
        raise SettingsError(message, next_step=NextStep("install extra", "serve")) from error
    _allow_open_files()
    limit = (REQUESTS_PER_MINUTE if tokens else 0) if per_minute is None else per_minute
    settings, access = config.load(ctx.obj), decide_access(host, TokenFile(tokens) if tokens else {}, limit)
    application = build_application(access, settings=settings, flags=ctx.obj, libraries=libraries)
    server = uvicorn.Config(
        application,
        host=host,
        port=port,
        access_log=False,
        log_level="critical",
        server_header=False,
        http=SlowClientProtocol,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )

    class AnnouncingServer(uvicorn.Server):
        async def startup(self, sockets: list[Any] | None = None) -> None:
            await super().startup(sockets)
            for listening in (socket for listener in self.servers for socket in listener.sockets):
                name, number = listening.getsockname()[:2]
                address = f"http://{f'[{name}]' if ':' in name else name}:{number}"
                click.echo(messages.LISTENING.format(address=address), err=True)

    async def run() -> None:
        click.echo(f"{messages.OPENING_LIBRARIES} …", err=True)
        async with application.state.contexts:
            await AnnouncingServer(server).serve()

    try:
        asyncio.run(run())
    # All that uvicorn says of a place where it cannot listen.
    except SystemExit as error:
        raise SettingsError(messages.CANNOT_LISTEN.format(host=host, port=port)) from error


def _allow_open_files() -> None:
    """Ask for more descriptors, as many as there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < OPEN_FILES:
        wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@click.command()
@library_option
@click.pass_context
def mcp(ctx: click.Context, libraries: tuple[str, ...]) -> None:
    """Run an MCP server with the tools search, open, ask, check and explain.

    In the settings of an assistant, enter the command `wellsourced` with the argument `mcp`. Requests are not logged,
    and your settings decide what leaves this machine, as for every other command.
    """
    from wellsourced.server.assistant_tools import build_tool_server

    settings = config.load(ctx.obj)

    async def run() -> None:
        async with config.open_context(settings, libraries=libraries) as context:
            await build_tool_server(context, settings).run_stdio_async()

    asyncio.run(run())
