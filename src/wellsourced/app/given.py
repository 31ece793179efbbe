"""What is typed as KEY=VALUE."""

import click


def parse_key_values(_: click.Context, __: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """KEY=VALUE pairs as a dict."""
    for pair in pairs:
        if "=" not in pair:
            raise click.BadParameter(f"“{pair}” is not KEY=VALUE, for example policy.statements=5")
    return {key.strip(): value.strip() for key, _, value in (pair.partition("=") for pair in pairs)}
