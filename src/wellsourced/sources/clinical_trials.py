"""ClinicalTrials.gov, live: registered trials, planned, running and done, put into sentences section by section.

APIs: https://clinicaltrials.gov/data-api/api; its query language Essie:
https://clinicaltrials.gov/find-studies/constructing-complex-search-queries
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.query_language import parse_query, query_tree
from wellsourced.query_language.query_writers import TranslatedQuery
from wellsourced.sources import clinical_trial_records as ctgov
from wellsourced.sources.clinical_trial_records import FIELDS, SERVICE
from wellsourced.sources.live_search import RelaxingSource
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    AnswerPage,
    answer_check,
    describe_unreadable_records,
    fetch_records,
)
from wellsourced.text.tokens import tokenize
from wellsourced.types import Document, Query, Reference, Section, SourceKind


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


def build_document(record: ctgov.TrialRecord, kind: SourceKind) -> Document:
    """A trial put into sentences, a section for each thing that readers ask of it."""
    title = record.brief_title or record.official_title or record.nct_id
    title = f"{title} ({record.acronym})" if record.acronym and record.acronym not in title else title
    text, sections = title, []
    for heading, lines in _list_sections(record):
        body = "\n".join(line for line in lines if line)
        # An empty heading would be a passage that says nothing and is found by its name.
        if body:
            text += f"\n\n{heading}\n"
            sections.append(Section(title=heading, start=len(text), end=len(text) + len(body)))
            text += body
    return Document(reference=build_reference(record, kind, title), text=text, sections=tuple(sections))


def build_reference(record: ctgov.TrialRecord, kind: SourceKind, title: str) -> Reference:
    """The card of a trial."""
    return Reference(
        id=f"nct:{record.nct_id}",
        title=title,
        url=f"https://clinicaltrials.gov/study/{record.nct_id}",
        kind=kind,
        organisation=record.sponsor,
        published=record.first_posted if re.fullmatch(r"[12]\d{3}(-\d\d){0,2}", record.first_posted) else "",
        publication_types=(_publication_type(record),),
        depth="record",
    )


def _publication_type(record: ctgov.TrialRecord) -> str:
    """The type of publication that says how far it is evidence: without posted outcomes it is a protocol."""
    # A registered plan is no evidence of an effect: without posted outcomes it must not be ranked as a trial.
    if not record.measured_outcomes:
        return "Clinical Trial Protocol"
    if record.study_type != "INTERVENTIONAL":
        return "Observational Study" if record.study_type == "OBSERVATIONAL" else "Clinical Study"
    allocations = {"RANDOMIZED": "Randomized Controlled Trial", "NON_RANDOMIZED": "Non-Randomized Controlled Trial"}
    return allocations.get(record.allocation, "Clinical Trial")


def _list_sections(record: ctgov.TrialRecord) -> Iterator[tuple[str, Sequence[str]]]:
    yield "Summary", [_clip(record.brief_summary)]
    yield "Conditions", [_label("Conditions", "; ".join(record.conditions))]
    yield "Interventions and arms", _list_arms(record)
    yield "Design", _list_design(record)
    yield "Eligibility", _list_eligibility(record)
    primary = [_describe_outcome("Primary", outcome) for outcome in record.primary_outcomes]
    secondary = [_describe_outcome("Secondary", outcome) for outcome in record.secondary_outcomes[:MAX_OUTCOMES]]
    yield "Outcomes", primary + secondary
    yield "Status", _list_status(record)
    limitations = _label("Limitations that the sponsor states", _clip(record.limitations).rstrip("."))
    results = [line for one in record.measured_outcomes[:MAX_OUTCOMES] for line in _list_results(one)]
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


def _list_arms(record: ctgov.TrialRecord) -> list[str]:
    return [
        *(_describe_thing("Intervention", one.type, one.name, one.description) for one in record.interventions),
        *(_describe_thing("Arm", one.type, one.label, one.description) for one in record.arms),
    ]


def _describe_thing(word: str, type: str, name: str, description: str) -> str:
    kind = f" ({_read_code(type)})" if type else ""
    more = f". {_clip(description)}" if description else ""
    return f"{word}: {name}{kind}{more}".rstrip(".") + "." if name else ""


def _list_design(record: ctgov.TrialRecord) -> list[str]:
    masked = ", ".join(map(_read_code, record.who_masked))
    masking = _read_code(record.masking)
    # Single-arm trials state NA, which a reader would take for a value that is missing.
    allocation = "" if record.allocation == "NA" else _read_code(record.allocation)
    count = f"{record.enrolled} participants" if record.enrolled else ""
    kind = f" ({_read_code(record.enrolment_type)})" if count and record.enrolment_type else ""
    return [
        _label("Study type", _read_code(record.study_type)),
        _label("Phase", ", ".join(_read_code(phase) for phase in record.phases if phase != "NA")),
        _label("Allocation", allocation),
        _label("Model", _read_code(record.intervention_model or record.observational_model)),
        _label("Purpose", _read_code(record.primary_purpose)),
        _label("Masking", f"{masking} ({masked})" if masked else masking),
        _label("Enrolment", count + kind),
    ]


def _list_eligibility(record: ctgov.TrialRecord) -> list[str]:
    ages = f"{record.minimum_age or 'no lower limit'} to {record.maximum_age or 'no upper limit'}"
    healthy = {None: "", True: "accepted", False: "not accepted"}[record.healthy_volunteers]
    return [
        _label("Ages", ages if record.minimum_age or record.maximum_age else ""),
        _label("Sex", _read_code(record.sex)),
        _label("Healthy volunteers", healthy),
        _clip(record.criteria),
    ]


def _describe_outcome(rank: str, outcome: ctgov.TrialOutcome) -> str:
    frame = f" (time frame: {outcome.time_frame})" if outcome.time_frame else ""
    return f"{rank} outcome: {outcome.measure}{frame}." if outcome.measure else ""


def _list_status(record: ctgov.TrialRecord) -> list[str]:
    has_results = record.has_results or record.measured_outcomes or record.harms_by_group
    return [
        _label("Status", _read_code(record.overall_status)),
        _label("Why it stopped", record.why_stopped.rstrip(".")),
        _label("Started", record.started),
        _label("Primary completion", record.primarily_completed),
        _label("Completed", record.completed),
        _label("First posted", record.first_posted),
        _label("Results first posted", record.results_posted),
        _label("Last update", record.last_updated),
        "" if has_results else "No results are posted.",
    ]


def _list_results(outcome: ctgov.ResultOutcome) -> Iterator[str]:
    """An outcome, its values group by group, and its analyses, a line each."""
    titles = {group.id: group.title for group in outcome.groups}
    spread = _read_code(outcome.dispersion_type)
    measure = f"{_read_code(outcome.param_type)}{f' ({spread})' if spread else ''}"
    frame = f" (time frame: {outcome.time_frame})" if outcome.time_frame else ""
    unit = f", in {outcome.unit_of_measure}" if outcome.unit_of_measure else ""
    yield f"{_read_code(outcome.type).capitalize()} outcome: {outcome.title}{frame}. Measured as {measure}{unit}."
    for table in outcome.classes[:MAX_OUTCOMES]:
        # At a later visit fewer may have been measured than there were at first.
        counts = _read_counts(table.denoms or outcome.denoms, outcome.type_units_analyzed)
        for row in table.categories[:MAX_OUTCOMES]:
            name = ", ".join(filter(None, (table.title, row.title)))
            shown = row.measurements[:MAX_GROUPS]
            values = "; ".join(_describe_value(one, titles, counts) for one in shown)
            # A number says nothing without what it is a number of.
            if values and all(counts.get(one.group_id) for one in shown):
                yield f"{name}: {values}." if name else f"{values}."
    for analysis in outcome.analyses[:MAX_GROUPS]:
        yield _describe_analysis(analysis, titles)


def _read_counts(denoms: Sequence[ctgov.ResultCounts], units: str) -> Mapping[str, str]:
    """Group → how many were analysed, of the units that the outcome is counted in, which are named if not people."""
    meant = next((one for one in denoms if one.units == units), next(iter(denoms), ctgov.ResultCounts()))
    name = "" if meant.units in ("", "Participants") else f" {meant.units.lower()}"
    return {one.group_id: f"{one.value}{name}" for one in meant.counts if one.value}


def _describe_value(one: ctgov.ResultMeasurement, titles: Mapping[str, str], counts: Mapping[str, str]) -> str:
    analysed = f" (n={counts.get(one.group_id, '')})"
    limits = f"{one.lower_limit} to {one.upper_limit}" if one.lower_limit or one.upper_limit else one.spread
    return f"{titles.get(one.group_id, one.group_id)}{analysed}: {one.value}{f' ({limits})' if limits else ''}"


def _describe_analysis(analysis: ctgov.ResultAnalysis, titles: Mapping[str, str]) -> str:
    groups = " versus ".join(titles.get(id, id) for id in analysis.group_ids)
    estimate = f"{analysis.param_type} {analysis.param_value}".strip() if analysis.param_value else ""
    p = analysis.p_value
    p_value = f"p {p}" if p[:1] in ("<", ">", "=") else f"p = {p}" if p else ""
    if p and analysis.p_value_comment:
        p_value += f" ({_clip(analysis.p_value_comment).rstrip('.')})"
    said = ", ".join(filter(None, (estimate, _describe_limits(analysis), p_value, analysis.statistical_method)))
    # A small p of a test of non-inferiority speaks of no difference: what is tested is said before it.
    type_ = analysis.non_inferiority_type.removesuffix("_LEGACY")
    hypothesis = (
        ""
        if type_ in ("", "SUPERIORITY")
        else _read_code(type_).replace("non inf", "non-inf").replace("other", "another hypothesis")
    )
    comment = _clip(analysis.non_inferiority_comment).rstrip(".")
    tested = f" (test of {'; '.join(filter(None, (hypothesis, comment)))})" if hypothesis else ""
    return f"Analysis, {groups}{tested}: {said}." if said and groups else ""


def _describe_limits(analysis: ctgov.ResultAnalysis) -> str:
    """The interval; of one that is open at one side, what it says: "up to 1.2"."""
    lower, upper = analysis.ci_lower_limit, analysis.ci_upper_limit
    if not (lower or upper):
        return ""
    level = f"{analysis.ci_pct_value}% CI" if analysis.ci_pct_value else "CI"
    side = "one-sided " if analysis.ci_num_sides == "ONE_SIDED" else ""
    reach = f"{lower} to {upper}" if lower and upper else f"up to {upper}" if upper else f"from {lower}"
    return f"{side}{level} {reach}"


def _list_harms(record: ctgov.TrialRecord) -> list[str]:
    if not record.harms_by_group:
        return []
    lines = [_label("Adverse events were collected over", record.harms_time_frame.rstrip("."))]
    for group in record.harms_by_group[:MAX_GROUPS]:
        counts = (
            ("deaths", group.deaths_num_affected, group.deaths_num_at_risk),
            ("serious adverse events", group.serious_num_affected, group.serious_num_at_risk),
            ("other adverse events", group.other_num_affected, group.other_num_at_risk),
        )
        said = "; ".join(f"{name} in {affected} of {risk}" for name, affected, risk in counts if affected and risk)
        lines.append(_label(group.title, said))
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
        if page.total_count < 0:
            raise SourceRefused(f"{SERVICE} did not give the number of trials: its answer has an unknown form.")
        return page.total_count

    async def fetch_document(self, document_id: str) -> Document:
        """The trial of an id "nct:NCT01234567". Raises NotFoundError."""
        if not (id := re.fullmatch(r"nct:(NCT[0-9]{8})", document_id)):
            raise NotFoundError(f"{SERVICE} has no trial {document_id!r}. Ids look like nct:NCT01234567.")
        read, fields = answer_check(ctgov.TrialRecord, SERVICE), {"fields": FIELDS, "format": "json"}
        record = read(await self._client.get(f"{self._url}/studies/{id[1]}", fields, fresh=HOUR, check=read))
        # The service leads from an old id to the trial that took its place, which is the same; any other is not what
        # was asked.
        if id[1] not in (record.nct_id, *record.nct_id_aliases):
            raise NotFoundError(f"{SERVICE} returned {record.nct_id} for {id[1]}.")
        return build_document(record, self.kind)

    async def fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        if not expression:
            return 0, []

        async def fetch_page(token: str, size: int) -> AnswerPage:
            more = {"pageToken": token} if token else {"countTotal": "true"}
            page = await self._fetch_page(expression, query, size, more)
            return AnswerPage(page.total_count, page.studies, page.next_page_token)

        total, records, faults = await fetch_records(fetch_page, "", limit + len(query.exclude), ctgov.TrialRecord)
        notes += describe_unreadable_records(SERVICE, faults, records, "trial")
        return total, [build_document(record, self.kind) for record in records]

    async def _fetch_page(self, expression: str, query: Query, size: int, more: Mapping[str, str]) -> ctgov.TrialPage:
        if len(expression) > MAX_QUERY_CHARACTERS:
            raise SourceRefused(f"{SERVICE} does not accept a query of {len(expression):,} characters. Shorten it.")
        dates = build_date_filter(query)
        fields = {"query.term": expression, "pageSize": str(size), "fields": FIELDS, "format": "json", **more}
        fields |= {"filter.advanced": dates} if dates else {}
        read = answer_check(ctgov.TrialPage, SERVICE)
        return read(await self._client.get(f"{self._url}/studies", fields, fresh=HOUR, check=read))
