"""Record what is expected: `python -m tests.golden ../shared/data`. To be run when answers are meant to change."""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.golden.runs import fill_home, run
from tests.golden.world import questions, texts, write_expected

data = Path(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    home = Path(folder) / "home"
    asyncio.run(fill_home(home, data))
    write_expected(run(home, questions(data), texts(data)))
