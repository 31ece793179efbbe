"""A study is what its record says that it is; a design is never guessed from what a work is about."""

from tests.tables import each_row
from wellsourced.medicine.study_design import detect_design, find_sample, parse_sample_size

POOLED = "systematic review of randomised trials"


@each_row(
    ("types", "title", "text", "name", "level"),
    [
        (("Journal Article", "Randomized Controlled Trial"), "", "", "randomised controlled trial", 2),
        ((), "Statins in sepsis: a systematic review", "", "systematic review", 2),
        ((), "", "Systematic review of randomized controlled trials of statins.", POOLED, 1),
        (("Meta-Analysis",), "", "We pooled data. A network meta-analysis was done.", POOLED, 1),
        (("Clinical Trial",), "A randomised, double-blind trial of zinc", "", "randomised controlled trial", 2),
        ((), "A non-randomised study of zinc", "", "non-randomised controlled trial", 3),
        ((), "", "Patients were randomly assigned to zinc or placebo.", "randomised controlled trial", 2),
        ((), "", "Patients seen from 2010 to 2015 were retrospectively reviewed.", "cohort study", 3),
        ((), "Zinc and colds: a Mendelian randomization study", "", "Mendelian randomisation", 3),
        ((), "Zinc for colds: study protocol for a randomised controlled trial", "", "study protocol", None),
        ((), "", "Rats were randomly assigned to zinc or chow.", "animal study", 5),
        (("Practice Guideline", "Journal Article"), "", "", "guideline", None),
        (("Case Reports",), "", "", "case report", 4),
        (
            (), "",
            "This was a prospective, observational, population-based study of patients who began oxygen. "
            "A design for a registry-based randomized trial (R-RCT) is proposed.",
            "cohort study", 3,
        ),
        (
            (), "A randomised sham controlled trial of cement",
            "Recent trials provide conflicting results: none is large. In total 180 patients will be enrolled.",
            "study protocol", None,
        ),
        (
            (), "A randomised trial of zinc",
            "Results: colds were shorter. In a second trial 90 children will be randomised.",
            "randomised controlled trial", 2,
        ),
    ],
)  # fmt: skip
def test_a_design_is_read_from_types_title_and_text(
    types: tuple[str, ...], title: str, text: str, name: str, level: int | None
) -> None:
    found = detect_design(types, title, text)
    assert found is not None
    assert (found.name, found.level) == (name, level)


@each_row(
    "text",
    [
        "Zinc is a metal.",
        "Further large randomised controlled trials are needed.",
        "Previous cohort studies disagree.",
        "These findings should be confirmed in randomised trials.",
    ],
)
def test_what_speaks_of_other_studies_has_no_design(text: str) -> None:
    assert detect_design((), "", text) is None


@each_row(
    ("text", "said"),
    [
        ("A total of 4,744 patients were enrolled; 2,373 received the drug.", "4,744 patients"),
        ("We randomised 120 adults to zinc (n = 60) or placebo (n = 60).", "120 adults"),
        ("Thirty trials with 12,345 participants were found.", "Thirty trials with 12,345 participants"),
        ("Zinc (n = 40) was compared with placebo (n = 41).", "n = 41"),
        ("Of them, 2 in individuals with asthma died.", ""),
        ("Eighty eight patients were randomly selected. In each group, there were 44 patients.", "88 patients"),
        ("In each group, there were 44 patients.", ""),
        ("Nineteen patients with COPD were randomized to training.", "19 patients"),
        ("There were 44 patients in each of the groups.", ""),
        ("Zinc was given to 25 women in each group.", ""),
        ("Mortality fell by 30 %.", ""),
    ],
)
def test_a_sample_size_is_given_in_the_words_of_the_record(text: str, said: str) -> None:
    assert find_sample(text) == said


def test_the_size_of_a_sample_is_its_largest_number() -> None:
    assert (
        parse_sample_size("30 trials with 12,345 participants"),
        parse_sample_size("n = 41"),
        parse_sample_size("many"),
    ) == (12_345, 41, 0)
