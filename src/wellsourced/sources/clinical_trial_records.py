"""A trial as ClinicalTrials.gov answers it, as far as it is read.

Fields: https://clinicaltrials.gov/data-api/about-api/study-data-structure
"""

from wellsourced.sources.service_answers import CamelCaseModel

SERVICE = "ClinicalTrials.gov"


class TrialDate(CamelCaseModel):
    """A date, as precise as its sponsor gave it: 2021-08-19 or 2021-08."""

    date: str = ""


class TrialIdentification(CamelCaseModel):
    """What a trial is called."""

    nct_id: str
    nct_id_aliases: tuple[str, ...] = ()
    brief_title: str = ""
    official_title: str = ""
    acronym: str = ""


class TrialStatus(CamelCaseModel):
    """How far it is, and since when."""

    overall_status: str = ""
    why_stopped: str = ""
    start_date_struct: TrialDate = TrialDate()
    primary_completion_date_struct: TrialDate = TrialDate()
    completion_date_struct: TrialDate = TrialDate()
    study_first_post_date_struct: TrialDate = TrialDate()
    results_first_post_date_struct: TrialDate = TrialDate()
    last_update_post_date_struct: TrialDate = TrialDate()


class NamedThing(CamelCaseModel):
    """A sponsor, an arm or an intervention: what it is called and what it is."""

    name: str = ""
    label: str = ""
    type: str = ""
    description: str = ""


class TrialSponsors(CamelCaseModel):
    """Who is answerable for it."""

    lead_sponsor: NamedThing = NamedThing()


class TrialDescription(CamelCaseModel):
    """What it is about, in the words of its sponsor."""

    brief_summary: str = ""


class TrialConditions(CamelCaseModel):
    """The conditions that are studied."""

    conditions: tuple[str, ...] = ()


class TrialMasking(CamelCaseModel):
    """Who does not know who is given what."""

    masking: str = ""
    who_masked: tuple[str, ...] = ()


class TrialAllocation(CamelCaseModel):
    """How participants are allocated, and what for."""

    allocation: str = ""
    intervention_model: str = ""
    primary_purpose: str = ""
    observational_model: str = ""
    masking_info: TrialMasking = TrialMasking()


class TrialEnrolment(CamelCaseModel):
    """How many take part: "ACTUAL" or "ESTIMATED"."""

    count: str = ""
    type: str = ""


class TrialDesign(CamelCaseModel):
    """How it is done."""

    study_type: str = ""
    phases: tuple[str, ...] = ()
    design_info: TrialAllocation = TrialAllocation()
    enrollment_info: TrialEnrolment = TrialEnrolment()


class TrialArms(CamelCaseModel):
    """Who is given what."""

    arm_groups: tuple[NamedThing, ...] = ()
    interventions: tuple[NamedThing, ...] = ()


class TrialOutcome(CamelCaseModel):
    """What is measured, and when."""

    measure: str = ""
    time_frame: str = ""


class TrialOutcomes(CamelCaseModel):
    """All that was to be measured."""

    primary_outcomes: tuple[TrialOutcome, ...] = ()
    secondary_outcomes: tuple[TrialOutcome, ...] = ()


class TrialEligibility(CamelCaseModel):
    """Who may take part."""

    eligibility_criteria: str = ""
    healthy_volunteers: bool | None = None
    sex: str = ""
    minimum_age: str = ""
    maximum_age: str = ""


class TrialProtocol(CamelCaseModel):
    """The protocol section."""

    identification_module: TrialIdentification
    status_module: TrialStatus = TrialStatus()
    sponsor_collaborators_module: TrialSponsors = TrialSponsors()
    description_module: TrialDescription = TrialDescription()
    conditions_module: TrialConditions = TrialConditions()
    design_module: TrialDesign = TrialDesign()
    arms_interventions_module: TrialArms = TrialArms()
    outcomes_module: TrialOutcomes = TrialOutcomes()
    eligibility_module: TrialEligibility = TrialEligibility()


class ResultGroup(CamelCaseModel):
    """A group of participants in posted results; of adverse events with its counts."""

    id: str = ""
    title: str = ""
    deaths_num_affected: str = ""
    deaths_num_at_risk: str = ""
    serious_num_affected: str = ""
    serious_num_at_risk: str = ""
    other_num_affected: str = ""
    other_num_at_risk: str = ""


class ResultMeasurement(CamelCaseModel):
    """What was measured in one group."""

    group_id: str = ""
    value: str = ""
    spread: str = ""
    lower_limit: str = ""
    upper_limit: str = ""


class ResultCategory(CamelCaseModel):
    """A row of a table."""

    title: str = ""
    measurements: tuple[ResultMeasurement, ...] = ()


class ResultClass(CamelCaseModel):
    """Rows that belong together."""

    title: str = ""
    categories: tuple[ResultCategory, ...] = ()


class ResultCounts(CamelCaseModel):
    """How many were analysed, group by group."""

    counts: tuple[ResultMeasurement, ...] = ()


class ResultAnalysis(CamelCaseModel):
    """A comparison of groups."""

    group_ids: tuple[str, ...] = ()
    statistical_method: str = ""
    param_type: str = ""
    param_value: str = ""
    p_value: str = ""
    ci_pct_value: str = ""
    ci_lower_limit: str = ""
    ci_upper_limit: str = ""


class ResultOutcome(CamelCaseModel):
    """One outcome as it was measured."""

    type: str = ""
    title: str = ""
    time_frame: str = ""
    param_type: str = ""
    dispersion_type: str = ""
    unit_of_measure: str = ""
    groups: tuple[ResultGroup, ...] = ()
    denoms: tuple[ResultCounts, ...] = ()
    classes: tuple[ResultClass, ...] = ()
    analyses: tuple[ResultAnalysis, ...] = ()


class ResultOutcomes(CamelCaseModel):
    """All outcomes that are posted."""

    outcome_measures: tuple[ResultOutcome, ...] = ()


class ResultHarms(CamelCaseModel):
    """Adverse events, counted by group."""

    time_frame: str = ""
    event_groups: tuple[ResultGroup, ...] = ()


class TrialResults(CamelCaseModel):
    """The results section."""

    outcome_measures_module: ResultOutcomes = ResultOutcomes()
    adverse_events_module: ResultHarms = ResultHarms()


class TrialRecord(CamelCaseModel):
    """A trial.

    has_results   whether any results are posted, of which outcomes and adverse events are read
    """

    protocol_section: TrialProtocol
    results_section: TrialResults | None = None
    has_results: bool = False


class TrialPage(CamelCaseModel):
    """A page of a search; `total_count` stands in the answer only where it is asked for."""

    studies: tuple[object, ...]
    next_page_token: str = ""
    total_count: int = -1


FIELDS = "|".join(
    (
        *(f"protocolSection.{field.alias}" for field in TrialProtocol.model_fields.values()),
        "resultsSection.outcomeMeasuresModule",
        "resultsSection.adverseEventsModule.timeFrame",
        "resultsSection.adverseEventsModule.eventGroups",
        "hasResults",
    )
)
"""What is asked for of a trial: its sites and its single adverse events would be megabytes."""
