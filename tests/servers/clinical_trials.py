"""The API of ClinicalTrials.gov, version 2, on loopback: searches, pages, counts and single trials.

    with serving(ClinicalTrialsServer([trial("NCT00000001", title="…")])) as service:
        source = ClinicalTrials(client, service.url)

Trials are written by hand to the documented schema, not taken from the service: `trial` makes one, `with_results` adds
what is posted of results. Queries are read as far as tests need: "phrases", AND, OR, NOT, parentheses, AREA[…]"…", and
AREA[StudyFirstPostDate]RANGE[a,b]. A fault in a query is told as text, with status 400, as the service does.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.servers.base import Asked, Said
from tests.servers.twists import Twist, plainly
from wellsourced.text.tokens import content_stems

Json = dict[str, Any]


def trial(
    id: str,
    *,
    title: str = "",
    summary: str = "",
    posted: str = "2020-05-03",
    allocation: str = "RANDOMIZED",
    aliases: Iterable[str] = (),
) -> Json:
    """A trial as it is registered, without results."""
    return {
        "protocolSection": {
            "identificationModule": {
                "nctId": id,
                "nctIdAliases": list(aliases),
                "orgStudyIdInfo": {"id": "GOUT-1"},
                "briefTitle": title,
            },
            "statusModule": {
                "overallStatus": "ACTIVE_NOT_RECRUITING",
                "startDateStruct": {"date": "2020-06", "type": "ACTUAL"},
                "studyFirstPostDateStruct": {"date": posted, "type": "ACTUAL"},
            },
            "sponsorCollaboratorsModule": {"leadSponsor": {"name": "Invented Trials Group", "class": "OTHER"}},
            "descriptionModule": {"briefSummary": summary},
            "conditionsModule": {"conditions": ["Gout", "Gout Flare"]},
            "designModule": {
                "studyType": "INTERVENTIONAL",
                "phases": ["PHASE2", "PHASE3"],
                "designInfo": {
                    "allocation": allocation,
                    "interventionModel": "PARALLEL",
                    "primaryPurpose": "TREATMENT",
                    "maskingInfo": {"masking": "DOUBLE", "whoMasked": ["PARTICIPANT", "INVESTIGATOR"]},
                },
                "enrollmentInfo": {"count": 184, "type": "ACTUAL"},
            },
            "armsInterventionsModule": {
                "armGroups": [{"label": "Low dose", "type": "EXPERIMENTAL", "description": "1.8 mg over one hour"}],
                "interventions": [{"type": "DRUG", "name": "Colchicine", "description": "Tablets of 0.6 mg"}],
            },
            "outcomesModule": {
                "primaryOutcomes": [{"measure": "Pain reduced by half", "timeFrame": "24 hours"}],
                "secondaryOutcomes": [{"measure": "Use of rescue medication", "timeFrame": "3 days"}],
            },
            "eligibilityModule": {
                "eligibilityCriteria": "Inclusion Criteria:\n\n* Gout flare of \\<12 hours",
                "healthyVolunteers": False,
                "sex": "ALL",
                "minimumAge": "18 Years",
            },
        },
        "hasResults": False,
    }


def with_results(one: Json) -> Json:
    """The trial with an outcome that was measured, an analysis, and adverse events."""
    measurements = [{"groupId": "OG000", "value": "37.8"}, {"groupId": "OG001", "value": "15.5", "spread": "2.1"}]
    outcome = {
        "type": "PRIMARY",
        "title": "Responders",
        "timeFrame": "24 hours",
        "paramType": "NUMBER",
        "dispersionType": "STANDARD_DEVIATION",
        "unitOfMeasure": "percentage of participants",
        "groups": [{"id": "OG000", "title": "Low dose"}, {"id": "OG001", "title": "Placebo"}],
        "denoms": [{"units": "Participants", "counts": [{"groupId": "OG000", "value": "74"}]}],
        "classes": [{"categories": [{"measurements": measurements}]}],
        "analyses": [
            {
                "groupIds": ["OG000", "OG001"],
                "pValue": "0.005",
                "statisticalMethod": "Fisher Exact",
                "paramType": "Odds Ratio (OR)",
                "paramValue": "3.31",
                "ciPctValue": "95",
                "ciLowerLimit": "1.41",
                "ciUpperLimit": "7.77",
            }
        ],
    }
    group = {"id": "EG000", "title": "Low dose", "seriousNumAffected": 0, "seriousNumAtRisk": 74}
    single = [{"term": "Diarrhoea", "stats": [{"groupId": "EG000", "numAffected": 17, "numAtRisk": 74}]}]
    harms = {"timeFrame": "Three days", "eventGroups": [group], "seriousEvents": [], "otherEvents": single}
    results = {"outcomeMeasuresModule": {"outcomeMeasures": [outcome]}, "adverseEventsModule": harms}
    return {**one, "resultsSection": results, "hasResults": True}


class ClinicalTrialsServer:
    """The service over these trials; `twist` changes what it says."""

    def __init__(self, trials: Iterable[Json], twist: Twist = plainly) -> None:
        self.trials, self.twist = list(trials), twist

    def __call__(self, asked: Asked) -> Said:
        return self.twist(asked, self._answer(asked))

    def _answer(self, asked: Asked) -> Said:
        if asked.path.endswith("/studies"):
            return self._search(asked.fields)
        id = asked.path.rpartition("/")[2]
        for one in self.trials:
            names = one["protocolSection"]["identificationModule"]
            if id == names["nctId"]:
                return self._give(one, asked.fields)
            if id in names["nctIdAliases"]:
                return Said(b"", 301, "text/plain", {"Location": f"{asked.path.rpartition('/')[0]}/{names['nctId']}"})
        return Said(f"NCT number {id} not found".encode(), 404, "text/plain")

    def _give(self, one: Json, fields: Mapping[str, str]) -> Said:
        try:
            return _say(_select(one, fields.get("fields", "")))
        except ValueError as error:
            return Said(str(error).encode(), 400, "text/plain")

    def _search(self, fields: Mapping[str, str]) -> Said:
        try:
            matches = [_read_query(fields[name]) for name in ("query.term", "filter.advanced") if fields.get(name)]
            start, size = int(fields.get("pageToken", "t0")[1:]), int(fields.get("pageSize", "10"))
        except (ValueError, IndexError) as error:
            return Said(f"Expression is malformed: {error}".encode(), 400, "text/plain")
        found = [one for one in self.trials if all(match(one) for match in matches)]
        try:
            page: Json = {"studies": [_select(one, fields.get("fields", "")) for one in found[start : start + size]]}
        except ValueError as error:
            return Said(str(error).encode(), 400, "text/plain")
        page |= {"totalCount": len(found)} if fields.get("countTotal") == "true" else {}
        page |= {"nextPageToken": f"t{start + size}"} if start + size < len(found) else {}
        return _say(page)


PLACES = (
    "protocolSection", "protocolSection.identificationModule", "protocolSection.statusModule",
    "protocolSection.sponsorCollaboratorsModule", "protocolSection.oversightModule",
    "protocolSection.descriptionModule", "protocolSection.conditionsModule", "protocolSection.designModule",
    "protocolSection.armsInterventionsModule", "protocolSection.outcomesModule", "protocolSection.eligibilityModule",
    "protocolSection.contactsLocationsModule", "protocolSection.referencesModule",
    "resultsSection", "resultsSection.participantFlowModule", "resultsSection.baselineCharacteristicsModule",
    "resultsSection.outcomeMeasuresModule", "resultsSection.adverseEventsModule",
    "resultsSection.moreInfoModule.limitationsAndCaveats",
    "resultsSection.adverseEventsModule.timeFrame", "resultsSection.adverseEventsModule.eventGroups", "hasResults",
)  # fmt: skip
"""Of the fields that the service has, by their places in a study, as many as tests need."""


def _select(one: Json, fields: str) -> Json:
    """Of a trial the fields that were asked for. Raises ValueError for one that there is not."""
    chosen: Json = {}
    for name in filter(None, re.split(r"[|,]", fields)):
        place = "protocolSection.identificationModule.nctId" if name == "NCTId" else name
        if place not in (*PLACES, "protocolSection.identificationModule.nctId"):
            raise ValueError(f"`fields` parameter: unknown field {name}")
        _copy(one, chosen, place.split("."))
    return chosen if fields else one


def _copy(source: Json, target: Json, path: list[str]) -> None:
    name, *rest = path
    if name in source and rest:
        _copy(source[name], target.setdefault(name, {}), rest)
    elif name in source:
        target[name] = source[name]


def _say(answer: Json) -> Said:
    return Said(json.dumps(answer).encode(), 200, "application/json")


Match = Callable[[Json], bool]
TOKEN = re.compile(r'\s*(AREA\[\w+\]RANGE\[[^\]]*\]|AREA\[\w+\]|"[^"]*"|[()]|[^\s()"]+)')


def _read_query(text: str) -> Match:
    """The query by descent. Raises ValueError, IndexError."""
    tokens = TOKEN.findall(text)
    whole = _either(tokens)
    if tokens:
        raise ValueError(tokens[0])
    return whole


def _either(tokens: list[str]) -> Match:
    parts = [_both(tokens)]
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        parts.append(_both(tokens))
    return lambda one: any(part(one) for part in parts)


def _both(tokens: list[str]) -> Match:
    parts = [_alone(tokens)]
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        parts.append(_alone(tokens))
    return lambda one: all(part(one) for part in parts)


def _alone(tokens: list[str]) -> Match:
    word = tokens.pop(0)
    if word == "NOT":
        inner = _alone(tokens)
        return lambda one: not inner(one)
    if word == "(":
        inner = _either(tokens)
        if tokens.pop(0) != ")":
            raise ValueError("a parenthesis is not closed")
        return inner
    if word in (")", "AND", "OR"):
        raise ValueError(word)
    if limits := re.fullmatch(r"AREA\[StudyFirstPostDate\]RANGE\[([^,]*),([^\]]*)\]", word):
        first, last = limits[1].replace("MIN", "0"), limits[2].replace("MAX", "9")
        return lambda one: (
            first <= one["protocolSection"]["statusModule"]["studyFirstPostDateStruct"]["date"] <= f"{last}~"
        )
    wanted = _spaced(tokens.pop(0) if word.startswith("AREA[") else word)
    return lambda one: wanted in _spaced(json.dumps(one["protocolSection"], ensure_ascii=False))


def _spaced(text: str) -> str:
    return f" {' '.join(content_stems(text))} "
