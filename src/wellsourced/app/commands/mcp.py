"""`wellsourced mcp`: the same answers for assistants that speak the Model Context Protocol."""

import asyncio

import click

from wellsourced import config
from wellsourced.errors import SettingsError
from wellsourced.privacy.loopback import is_plain_loopback

NOT_LOCAL = (
    "Whoever reaches {host} could ask: the tools are for this machine alone. Others can use `wellsourced serve`."
)


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced mcp                      what an assistant starts by itself, and speaks to over standard input
      wellsourced mcp --http --port 8809   for one that connects to http://127.0.0.1:8809/mcp
    """,
)
@click.option("--http", "is_http", is_flag=True, help="Speak streamable HTTP instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: a name of this machine.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8809, show_default=True, help="With --http.")
@click.option("--library", "libraries", metavar="NAME", multiple=True, help="Search only this library; repeatable.")
@click.pass_context
def mcp(ctx: click.Context, is_http: bool, host: str, port: int, libraries: tuple[str, ...]) -> None:
    """Be a server of tools: search, open, ask, check and explain, with the words that each statement rests on.

    In the settings of an assistant name the command `wellsourced` with the argument `mcp`. Nothing of what it asks is
    logged; what leaves this machine is what the settings say, as for every other command.
    """
    if is_http and not is_plain_loopback(host):
        raise SettingsError(NOT_LOCAL.format(host=host))
    run_tools(config.load(ctx.obj), libraries, (host, port) if is_http else None)


def run_tools(settings: config.Settings, libraries: tuple[str, ...], address: tuple[str, int] | None) -> None:
    """Serve tools until the other side is gone, or the process is told to stop. Raises SettingsError without mcp.

    address   where to listen; None: standard input and output
    """
    try:
        from wellsourced.server.assistant_tools import build_tool_server
    except ModuleNotFoundError as error:
        raise SettingsError(f"The tools need what is not installed ({error.name}): pip install mcp.") from error

    async def run() -> None:
        async with config.open_context(settings, libraries=libraries) as context:
            server = build_tool_server(context, settings)
            if address is None:
                await server.run_stdio_async()
            else:
                click.echo(f"Listening on http://{address[0]}:{address[1]}/mcp", err=True)
                await server.run_streamable_http_async(host=address[0], port=address[1])

    asyncio.run(run())
