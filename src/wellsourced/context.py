"""Everything that a question needs (sources, model, judges, policies), opened once by `config`."""

from dataclasses import dataclass, field, replace

from wellsourced.admission import MAX_QUESTIONS_WITH_MODEL, MAX_QUESTIONS_WITHOUT_MODEL, Admission
from wellsourced.expected_questions.matching import QuestionMatcher
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.policy import Budget, CheckPolicy, CondensePolicy, FramePolicy, Policy, ReadPolicy, WritePolicy
from wellsourced.privacy import PhiPolicy
from wellsourced.sources.base import RetractionRegistry, Source
from wellsourced.types import Gap, PatientWarning
from wellsourced.understanding.base import EmergencyDetector, LiteralUnderstanding, RuleEmergencyDetector, Understanding


@dataclass(frozen=True)
class Context:
    """Everything that a question needs: an implementation for each seam, and the policies.

    sources     what can be searched; a plan names them by `source.name`
    model       who writes; `has_model` says whether it is a language model
    assistant   who judges relevance, names keywords, checks: the model itself unless another is named; None: as model
    extractive  who answers in the sources' own sentences when the model cannot answer; None: nobody does
    sees_patient   whether the user allowed the model, and the assistant, to see a patient's text
    outbound    whether anything of a question may leave this machine: a live source, a model of a provider
    phi         what becomes of identifiers of a patient in anything that leaves this machine
    setup_gaps   what should have been there and is not, as gaps that every answer shows
    unset_sources   of these, the sources that are only searched when their turn comes, and lack a setting
    left_out    sources that are searched as a rule and are not, since others were named
    planner     which source is asked what
    understanding   what the words of a question mean, without a model
    emergency_detector   who looks for signs of an emergency, before anything is searched
    reranker    judges which passages stand first, before any is read; None: the order of the sources, fused
    relevance_judge   judges whether a text is relevant to a question
    support_judge   judges whether a quote supports a statement
    patient_warnings  what guidelines say against drugs for the patient; a model that may see the patient is told
    expected_questions   who knows which lines of the guidelines answer questions that were expected; None: nobody does
    registries  who is asked, before anything is read, which works were withdrawn; none: what the records themselves say
    admission   who of those that use this context is in work, and who waits
    """

    sources: tuple[Source, ...]
    model: Model
    relevance_judge: Judge
    support_judge: Judge
    planner: Planner
    understanding: Understanding = field(default_factory=LiteralUnderstanding)
    emergency_detector: EmergencyDetector = field(default_factory=RuleEmergencyDetector)
    reranker: Judge | None = None
    policy: Policy = field(default_factory=Policy)
    assistant: Model | None = None
    extractive: Model | None = None
    has_model: bool = False
    sees_patient: bool = False
    outbound: bool = False
    phi: PhiPolicy = "mask"
    frame: FramePolicy = field(default_factory=FramePolicy)
    read: ReadPolicy = field(default_factory=ReadPolicy)
    condense: CondensePolicy = field(default_factory=CondensePolicy)
    write: WritePolicy = field(default_factory=WritePolicy)
    check: CheckPolicy = field(default_factory=CheckPolicy)
    budget: Budget = field(default_factory=Budget)
    setup_gaps: tuple[Gap, ...] = ()
    unset_sources: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    patient_warnings: tuple[PatientWarning, ...] = ()
    expected_questions: QuestionMatcher | None = None
    registries: tuple[RetractionRegistry, ...] = ()
    admission: Admission = field(default_factory=Admission, compare=False)

    @property
    def judging_model(self) -> Model:
        """Who is asked what needs judgement rather than words of an answer."""
        return self.assistant or self.model

    def without_model(self) -> "Context | None":
        """Who answers in its place when the language model cannot; None: nobody does."""
        if not self.has_model or self.extractive is None:
            return None
        return replace(self, model=self.extractive, assistant=None, has_model=False)

    @property
    def has_llm_screening(self) -> bool:
        """Whether a language model judges what was found, besides the judge of relevance."""
        return self.has_model and self.read.relevance in ("model", "tier")

    @property
    def explains_plainly(self) -> bool:
        """Whether a language model says in everyday words what sources say, whomever these were written for."""
        return self.has_model and self.write.style == "plain"

    @property
    def writes_from_all(self) -> bool:
        """Whether a language model writes from all that was found: nobody says before what of it is relevant."""
        return self.has_model and self.read.relevance == "none"

    @property
    def max_concurrent_questions(self) -> int:
        """Questions that are in work at the same time."""
        return self.policy.concurrent_questions or (
            MAX_QUESTIONS_WITH_MODEL if self.has_model else MAX_QUESTIONS_WITHOUT_MODEL
        )

    def find_source(self, name: str) -> Source:
        """The source of that name. Raises KeyError: a plan only names what the context holds."""
        return {source.name: source for source in self.sources}[name]
