"""What is measured, each metric with one spelling.

A metric that does not apply to a case has no value there (None). It is left out of the mean, and the mean says so.
"""

from collections.abc import Mapping
from typing import NamedTuple

from wellsourced.errors import SettingsError


class Metric(NamedTuple):
    """Something that is measured of a case.

    name      its one spelling: in tables, in JSON, on the command line
    meaning   what it says, in a phrase
    maximum   its largest possible value, None where there is none; the least is 0
    lower     the lower, the better; None: neither is better
    """

    name: str
    meaning: str
    maximum: float | None = 1.0
    lower: bool | None = False

    @property
    def range(self) -> str:
        """Between which values it lies, in words."""
        return "from 0" if self.maximum is None else f"0–{self.maximum:g}"


RETRIEVAL_METRICS = (
    Metric("nDCG@10", "how far up the relevant documents stand among the first ten"),
    Metric("R@10", "share of the relevant documents that stand among the first ten"),
    Metric("R@100", "share of the relevant documents that stand among the first hundred"),
    Metric("RR@10", "one by the place of the first relevant document, of the first ten"),
)
VERIFICATION_METRICS = (
    Metric("accuracy", "share of the pairs with the known label"),
    Metric("macro_f1", "mean F1 of the labels"),
    Metric("support", "AUROC of supported against the rest"),
    Metric("contradiction", "AUROC of contradicted against the rest"),
    Metric("ece", "mean distance between a score and the share that is supported", lower=True),
    Metric("brier", "mean squared distance between a score and the truth", lower=True),
    Metric("likely_precision", "share of the pairs called supported, believed or not, which are"),
    Metric("confirmed_precision", "share of the pairs that are confirmed, so that they get a ✓, which are supported"),
    Metric("confirmed_recall", "share of the supported pairs that are confirmed"),
    Metric(
        "denied_precision",
        "share of the pairs that are called contradicted, so that they get a ✗, which are not supported",
    ),
    Metric("rationale", "share of the pairs with marked sentences of which the judge names one first"),
    Metric("rationale_R@3", "share of the marked sentences that are among the three a judge ranks first"),
)
TEXT_METRICS = (
    Metric("ROUGE-L", "F1 of the longest common subsequence of words, without stemming"),
    Metric("METEOR", "words in common, their stems and synonyms counted, and their order"),
    Metric("chrF", "F2 of sequences of up to six characters", maximum=100.0),
    Metric("GoogleBLEU", "share of the sequences of up to four words that are in common"),
    Metric("CharacTER", "edits of characters after shifts of words, by the length of the text", lower=True),
)
MODEL_METRICS = (
    Metric(
        "BERTScore (MiniLM)",
        "F1 of tokens and the most similar ones of the reference, by MiniLM; not comparable to published ones",
    ),
)
SOURCE_METRICS = (
    Metric("source_precision", "share of the works taken as relevant that the review cites"),
    Metric("source_recall", "share of the works that the review cites which were taken as relevant"),
    Metric("candidate_precision", "the same share of all works found, before relevance was judged"),
    Metric("candidate_recall", "the same share of the review's works, before relevance was judged"),
)
CITATION_METRICS = (
    Metric("citation_set_precision", "share of the sets of citations that support their statement (Link-Eval)"),
    Metric("citation_precision", "share of the citations that their statement cannot do without (Link-Eval)"),
    Metric("citation_recall", "share of the valid passages that are cited rightly (Link-Eval)"),
    Metric("statement_correctness", "1 when no two statements clash and all together say the known answer (Link-Eval)"),
    Metric("alce_recall", "share of the statements that their citations support (ALCE)"),
    Metric("alce_precision", "share of the citations that are of use to a statement that is supported (ALCE)"),
    Metric("citation_coverage", "share of the statements that cite anything"),
    Metric("lone_support", "share of the citations that support their statement alone"),
)
RATING_METRICS = (
    Metric("wins", "share of the preferences for one system, of those for one of two or for neither"),
    Metric("ties", "share of the preferences for neither of two systems", lower=True),
    Metric("losses", "share of the preferences for the other system", lower=True),
    Metric("cramers_v", "how far the ratings of one rater tell those of another"),
)
PREFLIGHT_METRICS = (
    Metric("preflight_precision", "share of the questions said to be an issue that are one"),
    Metric("preflight_recall", "share of the questions that are an issue which were said to be one"),
    Metric("preflight_f1", "harmonic mean of the two"),
    Metric("preflight_specificity", "share of the questions that are no issue which were said to be none"),
    Metric("preflight_invoked", "share of the questions whose passages are read in parts", lower=True),
    Metric("preflight_prevalence", "share of the questions that are an issue"),
)
SOURCE_CHECK_METRICS = (
    Metric("statement_support", "share of the statements that a source supports (SourceCheckup)"),
    Metric("statement_support_at_best", "the same, were all supported that nobody could verify or read"),
    Metric("response_support", "share of the answers that make statements all of which are supported (SourceCheckup)"),
    Metric("response_support_all", "the same of all answers, also of those that make no statement"),
    Metric("url_validity", "share of the sources that can be had and have words (SourceCheckup)"),
    Metric("url_validity_strict", "the same without pages that say that there is nothing"),
    Metric("unused_sources", "share of the sources that support no statement", lower=True),
    Metric("pairing_precision", "share of the marks of citation whose source supports their statement"),
    Metric("contradicted_statements", "share of the statements that a source contradicts", lower=True),
    Metric("unjudged_statements", "share of the statements that nobody could judge", lower=True),
    Metric("statements_without_source", "share of the statements that bear no mark", lower=True),
)
SCREENING_METRICS = (
    Metric("query_read", "share of the Boolean queries that can be read"),
    Metric("query_unrepaired", "share of the Boolean queries that are read without repair"),
    Metric("query_lossless", "share of the Boolean queries that are wholly said in PubMed's language"),
    Metric("search_recall", "share of the relevant works that the search finds"),
    Metric("search_precision", "share of what the search finds that is relevant"),
    Metric("number_needed_to_read", "records to be read for one that is relevant", maximum=40e6, lower=True),
)

ANSWER_METRICS = (
    Metric("answer_accuracy", "share of the questions answered with the known label; unparsed, abstained, failed: not"),
    Metric("decided_accuracy", "share of the labels that were said which are the known ones"),
    Metric("coverage", "share of the questions to which a label was said"),
    Metric("facts_said", "share of what an answer should say that its statements say"),
    Metric("facts_in_short", "share of what an answer should say that its short answer says"),
    Metric("comprehensiveness", "mean share of the must_have statements of a question that its answer says (K-QA)"),
    Metric(
        "contradiction_rate",
        "mean number of statements, must_have or nice_to_have, that an answer contradicts (K-QA: hallucination rate)",
        maximum=None,
        lower=True,
    ),
    Metric("comprehensiveness_answered", "comprehensiveness of the questions that were answered (K-QA: normalised)"),
    Metric(
        "contradiction_rate_answered",
        "contradiction_rate of the questions that were answered (K-QA: normalised)",
        maximum=None,
        lower=True,
    ),
    Metric("refusal_precision", "share of the refused questions that cannot be answered"),
    Metric("refusal_recall", "share of the questions that cannot be answered which are refused"),
    Metric("own_source_read", "share of the questions whose own source is among the evidence"),
    Metric("own_source_cited", "share of the questions whose own source is cited by a statement"),
    Metric("factoid_said", "share of the factoids of which the statements say a synonym"),
    Metric("factoid_in_short", "share of the factoids of which the short answer says a synonym"),
    Metric("strict_accuracy", "share of the factoids whose first candidate is a synonym (BioASQ)"),
    Metric("lenient_accuracy", "share of the factoids of which one of five candidates is a synonym (BioASQ)"),
    Metric("MRR", "one by the place of the first of five candidates that is a synonym (BioASQ)"),
    Metric("list_said", "share of the members of lists of which the statements say a synonym"),
    Metric("list_in_short", "share of the members of lists of which the short answer says a synonym"),
    Metric("list_precision", "share of the members named that the list has (BioASQ)"),
    Metric("list_recall", "share of the members of the list that are named (BioASQ)"),
    Metric("list_f1", "harmonic mean of list_precision and list_recall (BioASQ)"),
    Metric("ROUGE-2", "F1 of pairs of words shared with the reference, the best of several"),
    Metric("ROUGE-2-recall", "share of the pairs of words of the reference that are said"),
    TEXT_METRICS[0],
    Metric("snippet_precision", "share of the characters quoted that are marked as evidence (BioASQ)"),
    Metric("snippet_recall", "share of the characters marked as evidence that are quoted (BioASQ)"),
    Metric("snippet_f1", "harmonic mean of snippet_precision and snippet_recall (BioASQ)"),
    Metric("answer_ece", "mean distance between the probability of a decision and the share that is right", lower=True),
    Metric("answer_brier", "mean squared distance between that probability and what is right", lower=True),
    Metric("queries", "searches that were made for a question", None, lower=None),
    Metric("query_words", "words of a search, the mean of a question", None, lower=None),
    Metric(
        "query_diversity", "1 less the Jaccard index of the stems of two searches of a source, their mean", lower=None
    ),
    Metric("passages_read", "passages that were judged for a question", None, lower=None),
    Metric("calls", "requests to language models for a question", None, lower=True),
    Metric("tokens", "of these requests and their replies", None, lower=True),
    Metric("seconds", "that a question took", None, lower=True),
    Metric("dollars", "US dollars that these requests cost, where the price is known", None, lower=True),
)

OUTPUT_METRICS = (
    *ANSWER_METRICS[:2],
    Metric("unparsed", "share of the outputs that choose no option, or several", lower=True),
    Metric("average_rank", "place of an arm among at most 100, by accuracy, mean over sets", maximum=100.0, lower=True),
)

STUDY_METRICS = (
    Metric("abstention", "share of the questions to which nothing is answered"),
    Metric("gold_cited", "share of the questions whose answer cites the document that answers"),
    Metric("same_words", "share of the questions that are answered in the same words under every condition"),
    Metric("same_label", "share of the questions whose answer has the same label as without the change"),
    Metric("same_lead", "share of the questions whose short answer cites the same documents as without the change"),
    Metric("same_facts", "share of the questions whose answer says the same expected facts as without the change"),
    Metric("shared_works", "works that an answer cites with and without the change, of those that either cites"),
    Metric("statements_kept", "share of the statements of an answer that it still makes after the change"),
    Metric("luq", "how little answers to one question support each other (LUQ)", lower=True),
)

METRICS: Mapping[str, Metric] = {
    one.name: one
    for group in (
        RETRIEVAL_METRICS,
        VERIFICATION_METRICS,
        TEXT_METRICS,
        MODEL_METRICS,
        SOURCE_METRICS,
        CITATION_METRICS,
        RATING_METRICS,
        ANSWER_METRICS,
        OUTPUT_METRICS,
        SCREENING_METRICS,
        SOURCE_CHECK_METRICS,
        PREFLIGHT_METRICS,
        STUDY_METRICS,
    )
    for one in group
}
"""Every metric by its spelling."""


def find_metric(name: str) -> Metric:
    """The metric of this spelling. Raises SettingsError, naming the spelling that is likely meant, or all."""
    if name in METRICS:
        return METRICS[name]
    near = [one for one in METRICS if _fold_name(one) == _fold_name(name)]
    remedy = f"It is spelled {near[0]}." if near else f"There are {', '.join(METRICS)}."
    raise SettingsError(f"There is no metric “{name}”. {remedy}")


def _fold_name(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
