"""Write the table from which a shell's words are completed, as the commands are now: `make commands`."""

from pathlib import Path

from wellsourced.app import completion
from wellsourced.app.cli import command_line

if __name__ == "__main__":
    path = Path(completion.__file__).with_name(completion.FILE_NAME)
    path.write_text(completion.write_table(completion.describe_commands(command_line)), encoding="utf-8")
