"""`python -m wellsourced` is `wellsourced`."""

import os
import signal


def main() -> None:
    """Start the program; Ctrl-C is quiet from the first moment."""
    # Importing takes a tenth of a second, in which nothing was done that could be kept.
    signal.signal(signal.SIGINT, lambda _, __: os._exit(130))
    from wellsourced.app.cli import main as run

    run()


if __name__ == "__main__":
    main()
