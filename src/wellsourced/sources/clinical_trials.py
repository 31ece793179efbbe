"""ClinicalTrials.gov, live: registered trials, planned, running and done, put into sentences section by section.

APIs: https://clinicaltrials.gov/data-api/api; fields of a record:
https://clinicaltrials.gov/data-api/about-api/study-data-structure; its query language Essie:
https://clinicaltrials.gov/find-studies/constructing-complex-search-queries
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.http import Response
from wellsourced.query_language import parse_query, query_tree
from wellsourced.query_language.query_writers import TranslatedQuery
from wellsourced.sources.live_search import RelaxingSource
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    AnswerPage,
    AnswerPart,
    describe_unreadable_records,
    fetch_records,
)
from wellsourced.text.tokens import tokenize
from wellsourced.types import Document, Query, Reference, Section, SourceKind

SERVICE = "ClinicalTrials.gov"

IDENTIFICATION, STATUS, DESIGN = (
    f"protocolSection.{module}Module" for module in ("identification", "status", "design")
)
MEASURED_OUTCOMES = "resultsSection.outcomeMeasuresModule.outcomeMeasures"
HARMS_BY_GROUP = "resultsSection.adverseEventsModule.eventGroups"

FIELDS = "|".join(
    (
        *(IDENTIFICATION, STATUS, DESIGN),
        "protocolSection.sponsorCollaboratorsModule",
        "protocolSection.descriptionModule",
        "protocolSection.conditionsModule",
        "protocolSection.armsInterventionsModule",
        "protocolSection.outcomesModule",
        "protocolSection.eligibilityModule",
        "resultsSection.outcomeMeasuresModule",
        "resultsSection.moreInfoModule.limitationsAndCaveats",
        "resultsSection.adverseEventsModule.timeFrame",
        HARMS_BY_GROUP,
        "hasResults",
    )
)
"""What is asked for of a trial: its sites and its single adverse events would be megabytes."""


def build_date_filter(query: Query) -> str:
    """The dates of the query, as those on which a trial was first posted; "" for none."""
    if query.since is None and query.as_of is None:
        return ""
    # Of a trial of which the month alone is known, that is its first day.
    since = query.since.replace(day=1) if query.since else "MIN"
    return f"AREA[StudyFirstPostDate]RANGE[{since},{query.as_of or 'MAX'}]"


def translate_for_clinical_trials(expression: str) -> TranslatedQuery:
    """A Boolean expression of PubMed or Ovid in Essie; one with areas of Essie goes out as it was typed."""
    # Somebody who writes areas knows Essie: reading it as PubMed's language would take it apart.
    if "AREA[" in expression or "SEARCH[" in expression:
        return TranslatedQuery(expression.strip())
    notes: dict[str, None] = {}
    text = _write_node(parse_query(expression).node, notes, whole=True)
    return TranslatedQuery(text, tuple(notes))


def _write_node(node: query_tree.Node, notes: dict[str, None], whole: bool = False) -> str:
    """One node in Essie; "" for what it cannot be asked for."""
    match node:
        case query_tree.QueryTerm():
            return _write_term(node, notes)
        case query_tree.MeshHeading():
            return f'"{_clean_words(node.name)}"'
        case query_tree.DateRange():
            first, last = (day.replace("/", "-") for day in (node.first, node.last))
            return f"AREA[StudyFirstPostDate]RANGE[{first or 'MIN'},{last or 'MAX'}]"
        # The operator AND is written even where nothing is kept: Essie reads a bare NOT so.
        case query_tree.Not():
            kept, left_out = _write_node(node.kept, notes), _write_node(node.left_out, notes)
            parts = [kept] if kept else []
            parts += [f"NOT {left_out}"] if left_out else []
            operator = " AND "
        case query_tree.And() | query_tree.Or() | query_tree.Near():
            parts = [text for part in node.parts if (text := _write_node(part, notes))]
            operator = " OR " if isinstance(node, query_tree.Or) else " AND "
            if isinstance(node, query_tree.Near):
                notes[f"{SERVICE} has no distance operator; AND was used"] = None
        case _:
            # A filter that is left out makes the search wider, which its reader has to know.
            if not isinstance(node, query_tree.Everything) or node.filter_text:
                notes[f"{SERVICE} does not support this filter; it was left out"] = None
            return "" if not isinstance(node, query_tree.Everything) or node.filter_text else "ALL"
    return f"({operator.join(parts)})" if len(parts) > 1 and not whole else operator.join(parts)


def _write_term(node: query_tree.QueryTerm, notes: dict[str, None]) -> str:
    if node.field in ("type", "language", "author", "journal"):
        notes[f"{SERVICE} has no field for {node.field}; “{node.words}” was left out"] = None
        return ""
    if node.truncated or re.search(r"[*?#]", node.words):
        notes[f"{SERVICE} has no wildcards; “{node.words}” was searched as a word"] = None
    words = _clean_words(node.words)
    prefix = "AREA[BriefTitle]" if node.field == "title" else ""
    return f'{prefix}"{words}"' if words else ""


def _clean_words(words: str) -> str:
    return " ".join(re.sub(r'["\\*?#\[\]]', " ", words).split())


MAX_CHARACTERS_OF_FIELD = 4_000
MAX_OUTCOMES, MAX_GROUPS = 20, 8
"""Of posted results so much is written down: some trials post hundreds of tables."""


def build_document(record: AnswerPart, kind: SourceKind) -> Document:
    """A trial put into sentences, a section for each thing that readers ask of it."""
    title, acronym = record.text(f"{IDENTIFICATION}.briefTitle"), record.text(f"{IDENTIFICATION}.acronym")
    title = title or record.text(f"{IDENTIFICATION}.officialTitle") or _nct_id(record)
    title = f"{title} ({acronym})" if acronym and acronym not in title else title
    text, sections = title, []
    for heading, lines in _list_sections(record):
        body = "\n".join(line for line in lines if line)
        # An empty heading would be a passage that says nothing and is found by its name.
        if body:
            text += f"\n\n{heading}\n"
            sections.append(Section(title=heading, start=len(text), end=len(text) + len(body)))
            text += body
    return Document(reference=build_reference(record, kind, title), text=text, sections=tuple(sections))


def build_reference(record: AnswerPart, kind: SourceKind, title: str) -> Reference:
    """The card of a trial. Dates are as precise as its sponsor gave them: 2021-08-19 or 2021-08."""
    posted = record.text(f"{STATUS}.studyFirstPostDateStruct.date")
    return Reference(
        id=f"nct:{_nct_id(record)}",
        title=title,
        url=f"https://clinicaltrials.gov/study/{_nct_id(record)}",
        kind=kind,
        organisation=record.text("protocolSection.sponsorCollaboratorsModule.leadSponsor.name"),
        published=posted if re.fullmatch(r"[12]\d{3}(-\d\d){0,2}", posted) else "",
        publication_types=(_publication_type(record),),
        depth="record",
    )


def _nct_id(record: AnswerPart) -> str:
    return record.text(f"{IDENTIFICATION}.nctId", must=True)


def _publication_type(record: AnswerPart) -> str:
    """The type of publication that says how far it is evidence: without posted outcomes it is a protocol."""
    # A registered plan is no evidence of an effect: without posted outcomes it must not be ranked as a trial.
    if not record.parts(MEASURED_OUTCOMES):
        return "Clinical Trial Protocol"
    study_type = record.text(f"{DESIGN}.studyType")
    if study_type != "INTERVENTIONAL":
        return "Observational Study" if study_type == "OBSERVATIONAL" else "Clinical Study"
    allocations = {"RANDOMIZED": "Randomized Controlled Trial", "NON_RANDOMIZED": "Non-Randomized Controlled Trial"}
    return allocations.get(record.text(f"{DESIGN}.designInfo.allocation"), "Clinical Trial")


def _list_sections(record: AnswerPart) -> Iterator[tuple[str, Sequence[str]]]:
    yield "Summary", [_clip(record.text("protocolSection.descriptionModule.briefSummary"))]
    conditions = record.texts("protocolSection.conditionsModule.conditions")
    yield "Conditions", [_label("Conditions", "; ".join(conditions))]
    yield "Interventions and arms", _list_arms(record)
    yield "Design", _list_design(record)
    yield "Eligibility", _list_eligibility(record)
    outcomes = "protocolSection.outcomesModule"
    primary = [_describe_outcome("Primary", one) for one in record.parts(f"{outcomes}.primaryOutcomes")]
    others = record.parts(f"{outcomes}.secondaryOutcomes")[:MAX_OUTCOMES]
    yield "Outcomes", primary + [_describe_outcome("Secondary", one) for one in others]
    yield "Status", _list_status(record)
    limits = _clip(record.text("resultsSection.moreInfoModule.limitationsAndCaveats.description"))
    limitations = _label("Limitations that the sponsor states", limits.rstrip("."))
    results = [line for one in record.parts(MEASURED_OUTCOMES)[:MAX_OUTCOMES] for line in _list_results(one)]
    yield "Results", [limitations, *results]
    yield "Adverse events", _list_harms(record)


def _clip(text: str) -> str:
    """A field without empty lines and marks of CommonMark ("\\>"), and no more of it than a reader takes in."""
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text[:MAX_CHARACTERS_OF_FIELD])
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return "\n".join(line for line in lines if line)


def _label(name: str, value: str) -> str:
    return f"{name}: {value}." if value else ""


def _read_code(code: str) -> str:
    """A value of one of the service's lists in words: "NOT_YET_RECRUITING" → "not yet recruiting"."""
    phase = re.fullmatch(r"(EARLY_)?PHASE(\d)", code)
    return f"{'early ' if phase[1] else ''}phase {phase[2]}" if phase else code.replace("_", " ").lower()


def _list_arms(record: AnswerPart) -> list[str]:
    arms = "protocolSection.armsInterventionsModule"
    return [
        *(_describe_thing("Intervention", one, "name") for one in record.parts(f"{arms}.interventions")),
        *(_describe_thing("Arm", one, "label") for one in record.parts(f"{arms}.armGroups")),
    ]


def _describe_thing(word: str, thing: AnswerPart, naming: str) -> str:
    """An arm or an intervention: what it is called, in the field `naming`, and what it is."""
    name, type_, description = thing.text(naming), thing.text("type"), thing.text("description")
    kind = f" ({_read_code(type_)})" if type_ else ""
    more = f". {_clip(description)}" if description else ""
    return f"{word}: {name}{kind}{more}".rstrip(".") + "." if name else ""


def _list_design(record: AnswerPart) -> list[str]:
    info = f"{DESIGN}.designInfo"
    masked = ", ".join(map(_read_code, record.texts(f"{info}.maskingInfo.whoMasked")))
    masking = _read_code(record.text(f"{info}.maskingInfo.masking"))
    # Single-arm trials state NA, which a reader would take for a value that is missing.
    allocation = record.text(f"{info}.allocation")
    model = record.text(f"{info}.interventionModel") or record.text(f"{info}.observationalModel")
    enrolled, type_ = record.text(f"{DESIGN}.enrollmentInfo.count"), record.text(f"{DESIGN}.enrollmentInfo.type")
    count = f"{enrolled} participants" if enrolled else ""
    kind = f" ({_read_code(type_)})" if count and type_ else ""
    phases = [_read_code(phase) for phase in record.texts(f"{DESIGN}.phases") if phase != "NA"]
    return [
        _label("Study type", _read_code(record.text(f"{DESIGN}.studyType"))),
        _label("Phase", ", ".join(phases)),
        _label("Allocation", "" if allocation == "NA" else _read_code(allocation)),
        _label("Model", _read_code(model)),
        _label("Purpose", _read_code(record.text(f"{info}.primaryPurpose"))),
        _label("Masking", f"{masking} ({masked})" if masked else masking),
        _label("Enrolment", count + kind),
    ]


def _list_eligibility(record: AnswerPart) -> list[str]:
    module = "protocolSection.eligibilityModule"
    youngest, oldest = record.text(f"{module}.minimumAge"), record.text(f"{module}.maximumAge")
    ages = f"{youngest or 'no lower limit'} to {oldest or 'no upper limit'}"
    healthy = {None: "", True: "accepted", False: "not accepted"}[record.flag(f"{module}.healthyVolunteers")]
    return [
        _label("Ages", ages if youngest or oldest else ""),
        _label("Sex", _read_code(record.text(f"{module}.sex"))),
        _label("Healthy volunteers", healthy),
        _clip(record.text(f"{module}.eligibilityCriteria")),
    ]


def _time_frame(outcome: AnswerPart) -> str:
    frame = outcome.text("timeFrame")
    return f" (time frame: {frame})" if frame else ""


def _describe_outcome(rank: str, outcome: AnswerPart) -> str:
    measure = outcome.text("measure")
    return f"{rank} outcome: {measure}{_time_frame(outcome)}." if measure else ""


def _list_status(record: AnswerPart) -> list[str]:
    has_results = record.flag("hasResults") or record.parts(MEASURED_OUTCOMES) or record.parts(HARMS_BY_GROUP)
    return [
        _label("Status", _read_code(record.text(f"{STATUS}.overallStatus"))),
        _label("Why it stopped", record.text(f"{STATUS}.whyStopped").rstrip(".")),
        _label("Started", record.text(f"{STATUS}.startDateStruct.date")),
        _label("Primary completion", record.text(f"{STATUS}.primaryCompletionDateStruct.date")),
        _label("Completed", record.text(f"{STATUS}.completionDateStruct.date")),
        _label("First posted", record.text(f"{STATUS}.studyFirstPostDateStruct.date")),
        _label("Results first posted", record.text(f"{STATUS}.resultsFirstPostDateStruct.date")),
        _label("Last update", record.text(f"{STATUS}.lastUpdatePostDateStruct.date")),
        "" if has_results else "No results are posted.",
    ]


def _list_results(outcome: AnswerPart) -> Iterator[str]:
    """An outcome, its values group by group, and its analyses, a line each."""
    titles = {group.text("id"): group.text("title") for group in outcome.parts("groups")}
    spread, unit = _read_code(outcome.text("dispersionType")), outcome.text("unitOfMeasure")
    measure = (
        f"{_read_code(outcome.text('paramType'))}{f' ({spread})' if spread else ''}{f', in {unit}' if unit else ''}"
    )
    named = f"{_read_code(outcome.text('type')).capitalize()} outcome: {outcome.text('title')}{_time_frame(outcome)}"
    yield f"{named}. Measured as {measure}."
    for table in outcome.parts("classes")[:MAX_OUTCOMES]:
        # At a later visit fewer may have been measured than there were at first.
        counts = _read_counts(table.parts("denoms") or outcome.parts("denoms"), outcome.text("typeUnitsAnalyzed"))
        for row in table.parts("categories")[:MAX_OUTCOMES]:
            name = ", ".join(filter(None, (table.text("title"), row.text("title"))))
            shown = row.parts("measurements")[:MAX_GROUPS]
            values = "; ".join(_describe_value(one, titles, counts) for one in shown)
            # A number says nothing without what it is a number of.
            if values and all(counts.get(one.text("groupId")) for one in shown):
                yield f"{name}: {values}." if name else f"{values}."
    for analysis in outcome.parts("analyses")[:MAX_GROUPS]:
        yield _describe_analysis(analysis, titles)


def _read_counts(denoms: Sequence[AnswerPart], units: str) -> Mapping[str, str]:
    """Group → how many were analysed, of the units that the outcome is counted in, which are named if not people."""
    meant = next((one for one in denoms if one.text("units") == units), next(iter(denoms), None))
    if meant is None:
        return {}
    name = "" if meant.text("units") in ("", "Participants") else f" {meant.text('units').lower()}"
    counts = ((one.text("groupId"), one.text("value")) for one in meant.parts("counts"))
    return {group: f"{value}{name}" for group, value in counts if value}


def _describe_value(one: AnswerPart, titles: Mapping[str, str], counts: Mapping[str, str]) -> str:
    group, lower, upper = one.text("groupId"), one.text("lowerLimit"), one.text("upperLimit")
    limits = f"{lower} to {upper}" if lower or upper else one.text("spread")
    value = f"{one.text('value')}{f' ({limits})' if limits else ''}"
    return f"{titles.get(group, group)} (n={counts.get(group, '')}): {value}"


def _describe_analysis(analysis: AnswerPart, titles: Mapping[str, str]) -> str:
    """A comparison of groups, and what it tests."""
    groups = " versus ".join(titles.get(id, id) for id in analysis.texts("groupIds"))
    figure = analysis.text("paramValue")
    estimate = f"{analysis.text('paramType')} {figure}".strip() if figure else ""
    p, p_comment = analysis.text("pValue"), analysis.text("pValueComment")
    p_value = f"p {p}" if p[:1] in ("<", ">", "=") else f"p = {p}" if p else ""
    if p and p_comment:
        p_value += f" ({_clip(p_comment).rstrip('.')})"
    method = analysis.text("statisticalMethod")
    said = ", ".join(filter(None, (estimate, _describe_limits(analysis), p_value, method)))
    # A small p of a test of non-inferiority speaks of no difference: what is tested is said before it.
    type_ = analysis.text("nonInferiorityType").removesuffix("_LEGACY")
    hypothesis = (
        ""
        if type_ in ("", "SUPERIORITY")
        else _read_code(type_).replace("non inf", "non-inf").replace("other", "another hypothesis")
    )
    comment = _clip(analysis.text("nonInferiorityComment")).rstrip(".")
    tested = f" (test of {'; '.join(filter(None, (hypothesis, comment)))})" if hypothesis else ""
    return f"Analysis, {groups}{tested}: {said}." if said and groups else ""


def _describe_limits(analysis: AnswerPart) -> str:
    """The interval; of one that is open at one side, what it says: "up to 1.2"."""
    lower, upper = analysis.text("ciLowerLimit"), analysis.text("ciUpperLimit")
    if not (lower or upper):
        return ""
    percent = analysis.text("ciPctValue")
    level = f"{percent}% CI" if percent else "CI"
    side = "one-sided " if analysis.text("ciNumSides") == "ONE_SIDED" else ""
    reach = f"{lower} to {upper}" if lower and upper else f"up to {upper}" if upper else f"from {lower}"
    return f"{side}{level} {reach}"


def _list_harms(record: AnswerPart) -> list[str]:
    groups = record.parts(HARMS_BY_GROUP)[:MAX_GROUPS]
    frame = record.text("resultsSection.adverseEventsModule.timeFrame").rstrip(".")
    lines = [_label("Adverse events were collected over", frame)] if groups else []
    for group in groups:
        counts = (
            (name, group.text(f"{field}NumAffected"), group.text(f"{field}NumAtRisk"))
            for name, field in (
                ("deaths", "deaths"),
                ("serious adverse events", "serious"),
                ("other adverse events", "other"),
            )
        )
        said = "; ".join(f"{name} in {affected} of {risk}" for name, affected, risk in counts if affected and risk)
        lines.append(_label(group.text("title"), said))
    return lines


class ClinicalTrials(RelaxingSource):
    """A source. A trial is known by its NCT id ("nct:NCT01234567"); queries are written in Essie.

    A document is a record put into sentences by us: `Reference.depth` is "record". A trial without posted results is a
    protocol, and its `publication_types` say so.
    """

    name, service, any_word = "clinical_trials", SERVICE, '"{}"'
    about = "registered clinical trials: design, eligibility, outcomes, status, and results where they are posted"
    kind = "trial"

    def translate(self, expression: str) -> TranslatedQuery:
        return translate_for_clinical_trials(expression)

    def build_expression(self, query: Query) -> str:
        if query.kind == "boolean":
            return self.translate(query.text).text
        terms = query.terms
        # A single term is a question in words: as one phrase it would be found nowhere.
        phrases = self.content_words(query.text) if len(terms) == 1 else [" ".join(tokenize(one)) for one in terms]
        return " AND ".join(f'"{phrase}"' for phrase in phrases if phrase)

    def content_words(self, text: str) -> list[str]:
        """As many as an address holds."""
        return super().content_words(text[: MAX_QUERY_CHARACTERS // 2])[:100]

    async def count(self, query: Query) -> int:
        if not (expression := self.build_expression(query)):
            return 0
        page = await self._fetch_page(expression, query, 1, {"fields": "NCTId", "countTotal": "true"})
        # -1 says that the field was missing; taken for a number it would end as "no trials".
        if page.total < 0:
            raise SourceRefused(f"{SERVICE} did not give the number of trials: its answer has an unknown form.")
        return page.total

    async def fetch_document(self, document_id: str) -> Document:
        """The trial of an id "nct:NCT01234567". Raises NotFoundError."""
        if not (id := re.fullmatch(r"nct:(NCT[0-9]{8})", document_id)):
            raise NotFoundError(f"{SERVICE} has no trial {document_id!r}. Ids look like nct:NCT01234567.")

        def read(reply: Response) -> tuple[str, tuple[str, ...], Document]:
            record = AnswerPart.of(reply, SERVICE)
            known = record.texts(f"{IDENTIFICATION}.nctIdAliases")
            return _nct_id(record), known, build_document(record, self.kind)

        fields = {"fields": FIELDS, "format": "json"}
        own, aliases, document = read(
            await self._client.get(f"{self._url}/studies/{id[1]}", fields, fresh=HOUR, check=read)
        )
        # The service leads from an old id to the trial that took its place, which is the same; any other is not what
        # was asked.
        if id[1] not in (own, *aliases):
            raise NotFoundError(f"{SERVICE} returned {own} for {id[1]}.")
        return document

    async def fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        if not expression:
            return 0, []

        async def fetch_page(token: str, size: int) -> AnswerPage:
            more = {"pageToken": token} if token else {"countTotal": "true"}
            return await self._fetch_page(expression, query, size, more)

        def read(record: AnswerPart) -> Document:
            return build_document(record, self.kind)

        total, documents, faults = await fetch_records(fetch_page, "", limit + len(query.exclude), read, SERVICE)
        notes += describe_unreadable_records(SERVICE, faults, documents, "trial")
        return total, documents

    async def _fetch_page(self, expression: str, query: Query, size: int, more: Mapping[str, str]) -> AnswerPage:
        if len(expression) > MAX_QUERY_CHARACTERS:
            raise SourceRefused(f"{SERVICE} does not accept a query of {len(expression):,} characters. Shorten it.")
        dates = build_date_filter(query)
        fields = {"query.term": expression, "pageSize": str(size), "fields": FIELDS, "format": "json", **more}
        fields |= {"filter.advanced": dates} if dates else {}
        return _parse_page(await self._client.get(f"{self._url}/studies", fields, fresh=HOUR, check=_parse_page))


def _parse_page(reply: Response) -> AnswerPage:
    """A page of a search; how many there are stands in it only where it is asked for, and else is -1."""
    page = AnswerPart.of(reply, SERVICE)
    return AnswerPage(page.number("totalCount", -1), page.records("studies", must=True), page.text("nextPageToken"))
