"""The corpora of a scorecard as libraries, each made once, and the settings under which one is searched."""

from pathlib import Path

from wellsourced import config
from wellsourced.errors import NotFoundError
from wellsourced.evaluate.corpus import Corpus, open_corpus
from wellsourced.evaluate.scorecard.parts import CorpusFile
from wellsourced.events import Emit


class CorpusShelf:
    """Libraries of the files of one folder of data."""

    def __init__(self, data: Path, settings: config.Settings, emit: Emit) -> None:
        self.data, self.settings, self.emit = data, settings, emit
        self._opened: dict[str, Corpus] = {}

    async def find(self, wanted: CorpusFile) -> Corpus:
        """The corpus of this file. Raises NotFoundError when the file is not there."""
        if wanted.file not in self._opened:
            path = self.data / wanted.file
            if not path.is_file():
                raise NotFoundError(f"{path} is not there.")
            self._opened[wanted.file] = await open_corpus(str(path), self.settings, wanted.kind, self.emit)
        return self._opened[wanted.file]

    async def answering_settings(self, wanted: CorpusFile | None) -> config.Settings:
        """What answers a question: the guidelines as `wellsourced ask` has them, and the corpus."""
        if wanted is None:
            return self.settings.model_copy(update={"libraries": (config.GUIDELINES,), "live": ()})
        corpus = await self.find(wanted)
        libraries = (corpus.library, *((config.GUIDELINES,) if self.settings.guidelines else ()))
        return corpus.settings.model_copy(update={"libraries": libraries, "live": ()})
