"""`wellsourced setup judges measure` and `list`: what a judge has earned, and that it is believed from then on."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.word_judge import DRUGS, FILLER, OUTCOMES, VERBS, sentence
from wellsourced import config
from wellsourced.app.commands.judges import judges
from wellsourced.config.judges import build_judge, open_records
from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.judges.base import Pair

Row = dict[str, str]

TRUE = Pair("colchicine raised pain .", f"colchicine raised pain . {FILLER} {FILLER}")


def rows() -> list[Row]:
    """Of each sentence of the small language what says it, its opposite and something else, in eight lengths."""
    found = []
    every = [(drug, verb, outcome) for drug in DRUGS for verb in VERBS for outcome in OUTCOMES]
    for number, (drug, verb, outcome) in enumerate(every * 8):
        other = VERBS[1 - VERBS.index(verb)]
        elsewhere = OUTCOMES[(OUTCOMES.index(outcome) + 1) % 3]
        texts = {
            "supported": sentence(drug, verb, outcome),
            "contradicted": sentence(drug, other, outcome),
            "not_supported": sentence(drug, verb, elsewhere),
        }
        for label, text in texts.items():
            evidence = " ".join([text, *FILLER.split()[: number // 18]])
            found.append({"claim": sentence(drug, verb, outcome), "evidence": evidence, "label": label})
    return found


def write(path: Path, found: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    return path


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    return write(tmp_path / "mine.jsonl", rows())


def typed(*words: str, **settings: str) -> Result:
    return CliRunner().invoke(judges, words, obj={"encoder": "none", "threads": "1"} | settings)


def test_a_judge_that_is_right_is_believed_from_then_on_and_listed(
    word_judge: str, statements: Path, home: Path
) -> None:
    settings = config.load({"encoder": "none"})
    [before] = asyncio.run(build_judge(word_judge, settings, None).judge([TRUE]))
    done = typed("measure", word_judge, "--pairs", str(statements), "--written-by", "two physicians")
    assert done.exit_code == 0, done.output
    assert "Earned: “supports” from" in done.stdout
    assert f"Stored in {home / 'judges.json'}." in done.stdout
    [evidence] = open_records(settings).load().evidence
    assert evidence.has_earned
    assert [(one.name, one.n, one.written_by) for one in evidence.sets] == [("mine.jsonl", 432, "two physicians")]
    assert (evidence.supports.known, evidence.supports.others) == (144, 288)
    # Of what is only known not to be supported nobody said whether it is contradicted.
    assert evidence.contradicts is not None
    assert (evidence.contradicts.known, evidence.contradicts.others) == (144, 144)
    [after] = asyncio.run(build_judge(word_judge, settings, None).judge([TRUE]))
    assert (before.status, after.status, after.basis) == ("unverified", "verified", "judge")
    assert after.quote in TRUE.text
    assert "“supports” from" in typed().stdout
    assert json.loads(typed("--json").stdout)["evidence"][word_judge]["judge"] == evidence.judge


def test_a_judge_that_is_often_wrong_earns_nothing_and_says_why(tmp_path: Path) -> None:
    # Words in common do not tell which of these is meant.
    labels = ("supported", "not_supported")
    mixed = [row | {"label": labels[place % 2]} for place, row in enumerate(rows()) if row["label"] != "not_supported"]
    statements = write(tmp_path / "mine.jsonl", mixed)
    done = typed("measure", "overlap", "--pairs", str(statements))
    assert done.exit_code == 0, done.output
    assert "Earned for “supports”: nothing, “supported” is right in 50.0 % at best." in done.stdout
    assert "the judge gives contradiction no score" in done.stdout
    listed = typed().stdout
    assert "not believed: “supported” is right in 50.0 % at best (mine, n = 288)" in next(
        line for line in listed.splitlines() if line.startswith("overlap  ") and "not believed" in line
    )


def test_the_judges_that_come_along_are_listed_with_what_they_were_measured_on() -> None:
    lines = typed(encoder="minilm").stdout.splitlines()
    similarity, comparison = (
        [line for line in lines if line.startswith(name)][-1] for name in ("similarity", "comparison")
    )
    assert similarity.endswith(
        "not believed: “supported” is right in 47.8 % at best (statements_a, statements_b, as_written, played_drafts, "
        "n = 646)"
    )
    assert comparison.endswith("not believed: it called 33 supported, which is too few to tell (played_drafts, n = 46)")


def test_a_dry_run_stores_nothing(statements: Path, home: Path) -> None:
    done = typed("measure", "overlap", "--pairs", str(statements), "--dry-run")
    assert "Nothing was stored." in done.stdout
    assert not (home / "judges.json").exists()


def test_what_a_calibration_was_fitted_on_is_no_evidence(word_judge: str, statements: Path, tmp_path: Path) -> None:
    known = [row for row in rows() if row["label"] != "not_supported"]
    done = typed("calibrate", "--pairs", str(write(tmp_path / "some.jsonl", known)), "--judge", word_judge)
    assert done.exit_code == 0, done.output
    # Every claim of the small language was among those that were fitted.
    done = typed("measure", word_judge, "--pairs", str(statements))
    assert isinstance(done.exception, SourceRefused)
    assert "The judge's calibration was fitted on all 432 statements" in str(done.exception)
    own = [{"claim": f"quickly {TRUE.claim}", "evidence": TRUE.text, "label": "supported"}]
    done = typed("measure", word_judge, "--pairs", str(write(tmp_path / "more.jsonl", [*known, *own, *own])))
    assert done.exit_code == 0, done.output
    assert "put to 1 statement of more.jsonl (1, " in done.stdout
    assert "Left out: 288 statements that your calibration was fitted on." in done.stdout
    assert "Left out: 1 statement that came twice." in done.stdout


def test_a_calibration_that_does_not_say_what_it_was_fitted_on_cannot_be_measured(
    word_judge: str, statements: Path, tmp_path: Path
) -> None:
    known = [row for row in rows() if row["label"] != "not_supported"]
    typed("calibrate", "--pairs", str(write(tmp_path / "some.jsonl", known)), "--judge", word_judge)
    store = open_records(config.load({}))
    [calibration] = store.load().calibrations
    store.store_calibration(calibration.model_copy(update={"fitted_claims": ()}))
    done = typed("measure", word_judge, "--pairs", str(statements))
    assert isinstance(done.exception, SettingsError)
    assert "Calibrate the judge again" in str(done.exception)


def test_a_judge_that_comes_along_is_not_measured_on_what_it_was_fitted_on(shared_data: Path) -> None:
    fitted = shared_data / "verification" / "kqa.pairs.jsonl.gz"
    done = typed("measure", "overlap", "--pairs", str(fitted))
    assert isinstance(done.exception, SourceRefused)
    assert "The judge was fitted on kqa.pairs.jsonl.gz" in str(done.exception)


def test_statements_that_name_their_passage_are_read_with_the_passages_beside_them(tmp_path: Path) -> None:
    row = {"claim": TRUE.claim, "label": "supported"}
    path = write(tmp_path / "mine.jsonl", [row | {"passage_id": "p1"}, row | {"passage_id": "p2"}])
    write(tmp_path / "passages.jsonl", [{"passage_id": "p1", "text": TRUE.text}])
    done = typed("measure", "overlap", "--pairs", str(path), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["evidence"]["sets"][0]["n"] == 1
    assert "its passage_id is in no corpus" in typed("measure", "overlap", "--pairs", str(path)).stdout
