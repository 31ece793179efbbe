"""`wellsourced serve`: the same answers over HTTP."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from socket import AF_INET, AF_INET6, create_server, socket

import click

from wellsourced import config
from wellsourced.errors import SettingsError

EXTRA = "wellsourced[serve]"

CONCURRENT_CONNECTIONS = 1_500
"""Beyond them, who comes is told to come later."""

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
    """,
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others need --tokens.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8808, show_default=True, help="0: any that is free.")
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file with a token in each line: requests need one.",
)
@click.option("--library", "libraries", metavar="NAME", multiple=True, help="Search only this library; repeatable.")
@click.pass_context
def serve(ctx: click.Context, host: str, port: int, tokens: Path | None, libraries: tuple[str, ...]) -> None:
    """Answer over HTTP, until Ctrl-C: POST /api/v1/ask gives what `wellsourced ask --json` prints.

    /openapi.json describes all of it. On this machine whoever can reach the port may ask; a server that others reach
    does not start without tokens. Nothing of a request is logged.
    """
    run_server(config.load(ctx.obj), host, port, tokens, libraries)


def run_server(settings: config.Settings, host: str, port: int, tokens: Path | None, libraries: Sequence[str]) -> None:
    """Serve until the process is told to stop. Raises SettingsError for a place that is taken or open to others, and
    without the extra."""
    try:
        import uvicorn

        from wellsourced.server.access import decide_access, read_tokens
        from wellsourced.server.application import build_application
    except ModuleNotFoundError as error:
        raise SettingsError(f"The server needs what is not installed ({error.name}): pip install '{EXTRA}'.") from error
    access = decide_access(host, read_tokens(tokens) if tokens else ())

    async def run() -> None:
        # Whoever asks as soon as it is told where is kept waiting, and not refused.
        with _listen(host, port) as listening:
            async with config.open_context(settings, libraries=libraries) as context:
                click.echo(f"Listening on {_name_address(listening)}; /openapi.json says what can be asked.", err=True)
                server = uvicorn.Config(
                    build_application(access, context),
                    access_log=False,
                    log_level="critical",
                    server_header=False,
                    limit_concurrency=CONCURRENT_CONNECTIONS,
                    timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                )
                await uvicorn.Server(server).serve([listening])

    asyncio.run(run())


def _listen(host: str, port: int) -> socket:
    try:
        return create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SettingsError(f"Nothing can listen on {host}:{port} ({reason}): choose another --port.") from error


def _name_address(listening: socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
