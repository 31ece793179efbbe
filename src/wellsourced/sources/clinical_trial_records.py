"""A trial as ClinicalTrials.gov answers it, as far as it is read.

Fields: https://clinicaltrials.gov/data-api/about-api/study-data-structure
"""

from typing import Any

from wellsourced.sources.service_answers import CamelCaseModel, within

SERVICE = "ClinicalTrials.gov"

PROTOCOL_MODULES = (
    "identificationModule",
    "statusModule",
    "sponsorCollaboratorsModule",
    "descriptionModule",
    "conditionsModule",
    "designModule",
    "armsInterventionsModule",
    "outcomesModule",
    "eligibilityModule",
)

FIELDS = "|".join(
    (
        *(f"protocolSection.{module}" for module in PROTOCOL_MODULES),
        "resultsSection.outcomeMeasuresModule",
        "resultsSection.moreInfoModule.limitationsAndCaveats",
        "resultsSection.adverseEventsModule.timeFrame",
        "resultsSection.adverseEventsModule.eventGroups",
        "hasResults",
    )
)
"""What is asked for of a trial: its sites and its single adverse events would be megabytes."""


def _in_protocol(path: str, default: Any = "") -> Any:
    return within(f"protocolSection.{path}", default)


class TrialArm(CamelCaseModel):
    """An arm or an intervention: what it is called and what it is."""

    name: str = ""
    label: str = ""
    type: str = ""
    description: str = ""


class TrialOutcome(CamelCaseModel):
    """What is measured, and when."""

    measure: str = ""
    time_frame: str = ""


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


class ResultCounts(CamelCaseModel):
    """How many were analysed, group by group; of what: participants, eyes, lesions."""

    units: str = ""
    counts: tuple[ResultMeasurement, ...] = ()


class ResultClass(CamelCaseModel):
    """Rows that belong together, such as those of a visit, with the numbers analysed there where they are others."""

    title: str = ""
    denoms: tuple[ResultCounts, ...] = ()
    categories: tuple[ResultCategory, ...] = ()


class ResultAnalysis(CamelCaseModel):
    """A comparison of groups, and what it tests."""

    group_ids: tuple[str, ...] = ()
    statistical_method: str = ""
    param_type: str = ""
    param_value: str = ""
    p_value: str = ""
    p_value_comment: str = ""
    non_inferiority_type: str = ""
    non_inferiority_comment: str = ""
    ci_pct_value: str = ""
    ci_num_sides: str = ""
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
    type_units_analyzed: str = ""
    groups: tuple[ResultGroup, ...] = ()
    denoms: tuple[ResultCounts, ...] = ()
    classes: tuple[ResultClass, ...] = ()
    analyses: tuple[ResultAnalysis, ...] = ()


class TrialRecord(CamelCaseModel):
    """A trial. Dates are as precise as its sponsor gave them: 2021-08-19 or 2021-08.

    has_results   whether any results are posted, of which outcomes and adverse events are read
    """

    nct_id: str = _in_protocol("identificationModule.nctId", ...)
    nct_id_aliases: tuple[str, ...] = _in_protocol("identificationModule.nctIdAliases", ())
    brief_title: str = _in_protocol("identificationModule.briefTitle")
    official_title: str = _in_protocol("identificationModule.officialTitle")
    acronym: str = _in_protocol("identificationModule.acronym")

    overall_status: str = _in_protocol("statusModule.overallStatus")
    why_stopped: str = _in_protocol("statusModule.whyStopped")
    started: str = _in_protocol("statusModule.startDateStruct.date")
    primarily_completed: str = _in_protocol("statusModule.primaryCompletionDateStruct.date")
    completed: str = _in_protocol("statusModule.completionDateStruct.date")
    first_posted: str = _in_protocol("statusModule.studyFirstPostDateStruct.date")
    results_posted: str = _in_protocol("statusModule.resultsFirstPostDateStruct.date")
    last_updated: str = _in_protocol("statusModule.lastUpdatePostDateStruct.date")

    sponsor: str = _in_protocol("sponsorCollaboratorsModule.leadSponsor.name")
    brief_summary: str = _in_protocol("descriptionModule.briefSummary")
    conditions: tuple[str, ...] = _in_protocol("conditionsModule.conditions", ())

    study_type: str = _in_protocol("designModule.studyType")
    phases: tuple[str, ...] = _in_protocol("designModule.phases", ())
    allocation: str = _in_protocol("designModule.designInfo.allocation")
    intervention_model: str = _in_protocol("designModule.designInfo.interventionModel")
    observational_model: str = _in_protocol("designModule.designInfo.observationalModel")
    primary_purpose: str = _in_protocol("designModule.designInfo.primaryPurpose")
    masking: str = _in_protocol("designModule.designInfo.maskingInfo.masking")
    who_masked: tuple[str, ...] = _in_protocol("designModule.designInfo.maskingInfo.whoMasked", ())
    enrolled: str = _in_protocol("designModule.enrollmentInfo.count")
    enrolment_type: str = _in_protocol("designModule.enrollmentInfo.type")

    arms: tuple[TrialArm, ...] = _in_protocol("armsInterventionsModule.armGroups", ())
    interventions: tuple[TrialArm, ...] = _in_protocol("armsInterventionsModule.interventions", ())
    primary_outcomes: tuple[TrialOutcome, ...] = _in_protocol("outcomesModule.primaryOutcomes", ())
    secondary_outcomes: tuple[TrialOutcome, ...] = _in_protocol("outcomesModule.secondaryOutcomes", ())

    criteria: str = _in_protocol("eligibilityModule.eligibilityCriteria")
    healthy_volunteers: bool | None = _in_protocol("eligibilityModule.healthyVolunteers", None)
    sex: str = _in_protocol("eligibilityModule.sex")
    minimum_age: str = _in_protocol("eligibilityModule.minimumAge")
    maximum_age: str = _in_protocol("eligibilityModule.maximumAge")

    has_results: bool = False
    measured_outcomes: tuple[ResultOutcome, ...] = within("resultsSection.outcomeMeasuresModule.outcomeMeasures", ())
    limitations: str = within("resultsSection.moreInfoModule.limitationsAndCaveats.description")
    harms_time_frame: str = within("resultsSection.adverseEventsModule.timeFrame")
    harms_by_group: tuple[ResultGroup, ...] = within("resultsSection.adverseEventsModule.eventGroups", ())


class TrialPage(CamelCaseModel):
    """A page of a search; `total_count` is in the answer only where it is asked for."""

    studies: tuple[object, ...]
    next_page_token: str = ""
    total_count: int = -1
