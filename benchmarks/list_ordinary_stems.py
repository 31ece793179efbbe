"""Write the stems of everyday and clinical words: `src/wellsourced/clinical/ordinary_stems.txt`.

    python -m benchmarks.list_ordinary_stems /usr/share/dict/{american,british}-english-small

The lists are SCOWL's (Debian: wamerican-small, wbritish-small), without what is written with a capital. To them come
the stems in more than 48 of the passages that `stem_counts.tsv` counts, and what clinicians say at work (WORK_WORDS).
"""

import argparse
from pathlib import Path

from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems

TARGET = Path(__file__).parent.parent / "src" / "wellsourced" / "clinical" / "ordinary_stems.txt"

MIN_PASSAGES = 49
"""Passages of 53,069 that a stem stands in which is no unusual name."""

WORK_WORDS = """
ablated afebrile alcoholic alright ampoule anaemic anaesthesiologist anaesthetist anemic anesthesiologist anesthetist
angio antenatally antibiogram anuric apyrexial arthritic asthmatic asymptomatic bedbound bicarb bleeder bleep bloods
bradycardic cannula capsule cardio cardiologist cath cefs cirrhotic clerking clinic comatose comorbid comorbidity
consultant crit decompensate decompensation defib dermatologist detox diabetic dialyser dialyzer dietitian downtitrate
drip drops echo encephalopathic endocrinologist endoscopist enema epileptic exsmoker extubate febrile fortnightly
gargle gastro gastroenterologist gent geriatrician gynaecologist gynecologist haematemesis haematologist haematuria
haemofilter haemoptysis handover hematemesis hematologist hemofilter hemoptysis hepatologist housebound houseman
houseofficer hyperkalaemic hyperkalemic hypertensive hypokalaemic hypokalemic hyponatraemic hyponatremic hypotensive
hypoxic icteric inhaler intensivist intraop jabs jaundiced levo lozenge lysis lytes lytic maxed melaena melena midwife
multimorbid multiparous nebs nebule nebuliser nebulizer nephrologist neuro neurologist neurosurgeon neurosurgery
nonsmoker norad nulliparous obs obstetrician obtunded oliguric oncologist ophthalmologist ortho paced pacer
paediatrician patch pediatrician peds peg perimenopausal periop peripartum pessary physio physiotherapist polypharmacy
postmenopausal postnatally postop prefilled preload premenopausal preop pressor preventer psychiatrist pulmonologist
pyelo pylorus quid radiologist readmit reassess rebleed rebolus recannulate rechallenge recheck redose refracture
registrar rehab reinfarct reintubate relapse reliever reload reoperate rescan resite restart restent resus retitrate
reverse rheumatologist sachet sats scalded scoped scuba septic seropositive smoker spacer stepdown stoma suppository
suspension symptomatic synergistic synergy tachycardic tazo theater theatre titrate tox trach triage trops
uncomplicated untreated uptitrate urologist urosepsis vanc vascath venflon vial vitals ward
"""


def main() -> None:
    """Read the lists that are named, and write the stems, sorted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", type=Path, help="files with a word on each line")
    given = parser.parse_args()
    words = {word for path in given.lists for word in path.read_text("utf-8").splitlines() if word == word.lower()}
    (_, _), *counted = read_rows("wellsourced.judges", "stem_counts.tsv")
    stems = {stem for word in (*words, *WORK_WORDS.split()) for stem in content_stems(word)}
    stems |= {stem for stem, passages in counted if int(passages) >= MIN_PASSAGES}
    kept = sorted(stem for stem in stems if stem.isascii() and stem.replace("'", "").isalpha())
    TARGET.write_text("\n".join(kept) + "\n", encoding="utf-8")
    print(f"{len(kept):,} stems in {TARGET.name}")


if __name__ == "__main__":
    main()
