"""Write the table from which a shell's words are completed, as the commands are now: `make commands`."""

from pathlib import Path

from wellsourced.app import command_table
from wellsourced.app.cli import command_line

if __name__ == "__main__":
    path = Path(command_table.__file__).with_name(command_table.FILE_NAME)
    path.write_text(command_table.write_table(command_table.describe_commands(command_line)), encoding="utf-8")
