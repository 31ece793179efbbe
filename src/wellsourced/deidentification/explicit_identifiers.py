# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Identifiers that say what they are: behind a label or a title, or of a form that nothing else has; dates and
addresses among them.

For words that are about literature (expressions, references, addresses of pages, fields of requests): the wider net of
`deidentification.detector` would hold DOIs, numbers of articles, compounds and eponyms there, and a search would be lost.
"""

import re
from collections.abc import Iterator

from wellsourced.deidentification.identifiers import (
    COUNTRIES_AND_STATES,
    EMAIL_RULE,
    LABEL_WORDS,
    NOT_NAMES,
    US_SSN_RULE,
    Identifier,
    IdentifierKind,
    IdentifierRule,
    apply_rules,
    merge_overlaps,
)
from wellsourced.text.dates import MONTH_NAMES

_NUMBER_NOUN = r"(?i:\s{0,2}(?:no|nr|number|num|id|code|card)?\b\.?)\s{0,2}[#:=./_-]{0,2}\s{0,2}(?:is\s)?"
_CODE = r"((?=[A-Za-z0-9/ -]{0,8}\d{3})[A-Za-z]{0,4}[ -]?\d[\dA-Za-z]{2,20}(?:[-/ ]\d{2,10}){0,4}(?:-[A-Za-z])?)\b"
_RECORD_LABEL = (
    r"(?i:(?<![a-z])(?:MRN|medical[ _-]record|hosp(?:ital)?[ _-]?(?=no|num|id|nr)|NHS|CHI|patient(?:en)?[ _-]?(?=no|num|id|nr)"
    r"|chart|NHC|insurance|policy|member|subscriber|medicare|medicaid|versicherten|KVNR)(?![a-z]{3}))"
)
_PERSONAL_LABEL = (
    r"(?i:(?<![a-z])(?:SSN|social[ _-]security|national[ _-]insurance|passport|DNI|PESEL|CPF|BSN|aadhaar)(?![a-z]{3}))"
)
_PHONE_LABEL = r"(?i:(?<![a-z])(?:tel|telephone|telefon|phone|mobile|cell|fax|whatsapp)(?![a-z]))"
_BIRTH_LABEL = re.compile(
    r"(?i)(?<![a-z])(?:DOB|date[ _]of[ _]birth|birth[ _]?da(?:te|y)|born(?: on)?|geb(?:oren)?(?: am)?|nacid[oa](?: el)?|n[ée]e? le"
    r"|fecha de nacimiento)(?![a-z])[\s:=.*]{0,4}"
)
_STREET_WITH_NUMBER = re.compile(r"\d{1,5}[A-Za-z]?,? [A-ZÀ-ÖØ-Þ]")
_TITLE = r"\b(?i:Mr|Mrs|Ms|Mme|Herrn?|Frau|Señora?|Sra?|Signora?|Monsieur|Madame)\b\.?\s{1,2}"
_NAME_PART = r"[A-ZÀ-ÖØ-Þ][\w'’À-ÿ-]{1,30}"

_EXPLICIT_RULES: tuple[IdentifierRule, ...] = (
    EMAIL_RULE,
    US_SSN_RULE,
    IdentifierRule("ssn", re.compile(_PERSONAL_LABEL + _NUMBER_NOUN + _CODE)),
    IdentifierRule("record", re.compile(_RECORD_LABEL + _NUMBER_NOUN + _CODE)),
    IdentifierRule("phone", re.compile(_PHONE_LABEL + r"[\s:=.#]{0,4}(\+?\(?\d[\d ().-]{5,18}\d)")),
    IdentifierRule("phone", re.compile(r"(?<![\w.(-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?![\w/-])")),
    IdentifierRule("name", re.compile(_TITLE + rf"({_NAME_PART}(?: {_NAME_PART}){{0,2}})")),
    IdentifierRule("name", re.compile(rf"(?i:\b(?:patient|pt|client)(?:['’]s)? (?:name|called|named)\b|\bpatient\s?[:=])[\s:=]{{1,3}}({_NAME_PART}(?: {_NAME_PART}){{0,2}})")),
)  # fmt: skip

_STREET_SUFFIX = (
    r"(?i:street|st|str|road|rd|avenue|ave|av|lane|ln|drive|dr|boulevard|blvd|court|ct|way|close|crescent|cres|place|pl|square|sq"
    r"|terrace|tce|ter|highway|hwy|view|gardens|gdns|grove|parkway|pkwy|row|walk|mews|parade|pde|circle|cir|trail|trl|pike|loop"
    r"|gait|hill|rise|green|quay|wharf|esplanade|promenade|turnpike|alley|park|bend|cove|crossing|run|point|pass|wynd|vale|croft|drove)"
)
_SURE_STREET_SUFFIX = r"(?:Street|Road|Avenue|Lane|Drive|Crescent|Boulevard|Highway|Rd|Ave|Ln|Blvd|Hwy|Terrace|STREET|ROAD|AVENUE|LANE|RD|AVE|CRESCENT)"
_CAPITALIZED_WORD = r"[A-ZÀ-ÖØ-ÞŁŚŻŹĆÓĐŠŽČİŞ][\w'’.-]{0,24}"
_DWELLING_UNIT = r"(?i:flat|apartment|apt|unit|suite|ste|room|block|blk|floor|level|pitch|plot|lot|d\.? ?no|door no|h\.? ?no|house no|room|no|lgh|whg|bte|lok|#)\.?"
_COMPASS_SIDE = r"(?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.? )?"
_STATE_CODE = (
    r"A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|PR|RI|S[CD]|T[NX]|UT|V[AT]"
    r"|W[AIVY]|VIC|NSW|QLD|TAS|ACT|NT|ON|QC|BC|AB|MB|SK|NS|NB|NL"
)
_UNIT_BEHIND = rf"(?:\s?,? ?{_DWELLING_UNIT} ?\w{{1,5}}\b)?"
_GERMANIC_STREET_SUFFIX = r"(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|gracht|plein|kade|dreef|singel|gatan|vägen|gata|vägen|stigen|vej|gade|allé|veien|gata|vei|katu|tie|kuja)"
_ROMANCE_STREET_TYPE = (
    r"(?:C/|[Cc]alle|CALLE|Avda?\.?|AVDA\.?|[Aa]venida|Plaza|Pza\.?|Pl\.|Paseo|Pº|Ronda|Camino|Carrer|Carretera|Ctra\.?|Col\.|Colonia|Urb\.|Urbanización"
    r"|Via|VIA|Viale|Piazza|P\.zza|Corso|Largo|Strada|Vicolo|[Rr]ua|RUA|R\.|Travessa|Trav\.|Praça|Alameda|Estrada|Quinta|ul\.|al\.|os\.|pl\.|ulica|Str\.|Jl\.|Jalan|Cd\.|Sk\.|Mah\.)"
)

_FRENCH_STREET_TYPE = r"(?:rue|avenue|av\.?|bd|boulevard|place|allée|allées|chemin|impasse|quai|route|cours|square|passage|RUE|AVENUE|BD|Rue|Avenue)"

_ADDRESS_RULES: tuple[IdentifierRule, ...] = (
    IdentifierRule("address", re.compile(rf"(?:\b{_DWELLING_UNIT} ?\w{{1,5}}(?:,|/| -)? ?)?(?<![\d.,/$£€])\b(?!\d{{3,5}}-\d,)(?<!\d-)\d{{1,5}}[A-Za-z]?(?:[-/]\d{{1,4}}[A-Za-z]?)?,? {_COMPASS_SIDE}(?:{_CAPITALIZED_WORD} ){{1,4}}{_STREET_SUFFIX}\b\.?(?: (?:N|S|E|W|NE|NW|SE|SW|Nth|NTH|Sth|STH)\b)?{_UNIT_BEHIND}")),
    IdentifierRule("address", re.compile(rf"(?<![\w.])(?:{_CAPITALIZED_WORD} ){{1,2}}{_SURE_STREET_SUFFIX}\b(?:\.(?! ))?(?! (?:Hospital|Surgery|Clinic|Practice|Journal|test|trial))")),
    IdentifierRule("address", re.compile(rf"\b(?:[A-ZÄÖÜÅØ][\w.]{{1,30}}(?:[- ][A-ZÄÖÜ]\w{{1,20}}){{0,2}}[ -]?(?i:{_GERMANIC_STREET_SUFFIX})|[a-zäöüåß]{{3,20}}(?:straße|strasse|straat|gatan|vägen|veien|str\.)) \d{{1,4}} ?[a-zA-Z]?\b(?! ?(?:mg|ml|%)){_UNIT_BEHIND}")),
    IdentifierRule("address", re.compile(r"(?<=\^)([A-Z][A-Za-z .'-]{2,25})(?=\^[A-Z]{2,3}\^\d{4,5})")),
    IdentifierRule("address", re.compile(r"\b(?:Am|Im|Zum|Zur|An der|An den|Auf der|Auf dem|In der|In den|Unter den) (?!Tag|Alter|Jahr|Monat|Woche|Stufe|Stadium|Grad|Zimmer|Seite)[A-ZÄÖÜ][a-zäöüß]{2,20} \d{1,3} ?[a-z]?(?=\s*[,;\n)]|$)")),
    IdentifierRule("address", re.compile(rf"\b\d{{1,4}}(?: ?(?:bis|ter|quater|[A-D]))?,? {_FRENCH_STREET_TYPE} (?:(?:de|du|des|la|le|les|l['’]|d['’])\s?){{0,3}}{_CAPITALIZED_WORD}(?:[ -](?:de |du |des |la )?{_CAPITALIZED_WORD}){{0,3}}")),
    IdentifierRule("address", re.compile(rf"(?<!\w){_ROMANCE_STREET_TYPE} ?(?:(?:de|del|da|do|dos|das|della|dei|la|las|los|le|l['’]|d['’]) ?){{0,3}}{_CAPITALIZED_WORD}(?: (?:(?:de|del|da|do|dos|la|della|di|y|e) )?{_CAPITALIZED_WORD}){{0,4}},? ?(?:(?:n[º°.o]{{0,2}} ?|nr\.? ?|km ?|lote ?|lt\.? ?|bloco ?|bloque ?)?\d{{1,5}}(?:[/-]?\w{{1,3}})?|s/?n\b)(?: m\. ?\d+|/\d+)?(?:,? ?\d{{1,2}}[º°ª]? ?(?:izda|dcha|[A-D])?\b\.?)?")),
    IdentifierRule("address", re.compile(r"(?i:\b(?:p\.? ?o\.? ?box|posbus|postbus|postfach|apartado|casella postale|skr\. poczt\.|private bag|locked bag|boks|boîte postale)) ?#?\d+|\b(?i:rr|rural route) ?#?\d+,? box \d+", re.IGNORECASE)),
    IdentifierRule("address", re.compile(r"(?:\b(?:PUROK|Purok|BRGY\.?|Brgy\.?|Barangay|Sitio|Mohalla|Village|VILLAGE|Vill\.|Taluk|Tehsil|Dist\.|Plot|PLOT|D\.NO\.?|H\.NO\.?|House No|House no|Door No|Flat No|FLAT NO)[.:]? ?)(?:No\.? ?)?(?:[\w/-]{1,15},? ?)(?:(?:[A-Z][\w'’.-]{1,20})(?:,? |(?=\W|$))){0,4}")),
    IdentifierRule("address", re.compile(rf"\b((?:{_CAPITALIZED_WORD} (?:(?:of|the|and|&) )?){{1,4}}(?:(?:Primary|Elementary|Nursery)(?= (?:School|[a-z])|[,.;)\n]|$)|Preschool|Pre-school|Kindergarten|Daycare|Day Care|High School|Middle School|Grammar School|Secondary School|Primary School|Care Home|Care Cent(?:er|re)|Nursing Home|Nursing Cent(?:er|re)|Residential Home|Rest Home|Retirement (?:Village|Home)|Assisted Living|Holiday Park|Caravan Park|Mobile Home Park|Trailer Park|Homeless Shelter))\b")),
    IdentifierRule("postcode", re.compile(rf"\b(?:(?:{_STATE_CODE}),? |(?i:zip(?: code)?:? |p(?:ost)?code:? |PLZ:? |CEP:? |CAP:? |C\.?P\.?:? |PIN(?:code| code)?:? ?-? ?))(\d{{4,6}}(?:-\d{{3,4}})?|\d{{3}} \d{{3}})\b(?! ?(?:mg|IU|patients|units|ml))")),
    IdentifierRule("postcode", re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b(?!-)")),
    IdentifierRule("postcode", re.compile(r"\b[AC-FHKNPRTV-Y]\d[\dW] [0-9AC-FHKNPRTV-Y]{4}\b")),
    IdentifierRule("postcode", re.compile(r"\b[ABCEGHJ-NPRSTVXY]\d[A-Z] \d[A-Z]\d\b")),
    IdentifierRule("postcode", re.compile(rf"\b(?!19|20)[1-9]\d{{3}} ?[A-Z]{{2}}\b(?=,? {_CAPITALIZED_WORD}|\s*$|\n|\)|,)")),
    IdentifierRule("postcode", re.compile(r"\b(?:D|A|CH|F|I|E|NL|B|PL|S|DK|N|SE)-\d{4,5}\b|\b\d\d-\d{3}\b(?= ?[A-ZŁŚŻŹĆ])|\b\d{5}-\d{3}\b|(?<=\^)\d{5}(?=\^)|\b\d{4}-\d{3}\b(?=[ ,]+[A-Z])")),
)  # fmt: skip
_POSTCODE_TOWN = re.compile(
    rf"\b(?:\d{{4,5}}|\d{{3}} \d\d|\d\d-\d{{3}}|\d{{4}} ?[A-Z]{{2}})\)? ({_CAPITALIZED_WORD}(?:[ -]{_CAPITALIZED_WORD}){{0,2}})"
)
_ADDRESS_TAIL = re.compile(
    rf"(?:(?:,? ?| - )\(?(?:\d{{4,6}}(?:-\d{{3,4}})?|\d\d-\d{{3}}|\d{{3}} \d{{2,3}})\)?(?![\w/.:])|,\s?(?!{_DWELLING_UNIT}:){_CAPITALIZED_WORD}(?:[ -](?:(?:de|del|la|di|sur|am|an der|upon|on|the|in) )?{_CAPITALIZED_WORD}){{0,3}}(?![\w:]| [:=]))"
)
_YEAR_ALONE = re.compile(r"(?:19|20)\d\d")
_ADDRESS_LABEL = re.compile(
    r"(?<![\w])(?i:(?:home |postal |mailing |street |current |permanent |residential |next |billing )?(?:address|addr)|direcci[óo]n|domicilio|adresse|anschrift|wohnhaft(?: in)?"
    r"|indirizzo|residen(?:te|za|ce)(?: a| in)?|endere[çc]o|morada|adres(?: zamieszkania)?|adress|r/o|location|home|loc)\s?[:=]\s{0,4}"
    r"([^\n\t|;:⟧]{3,90}?)(?=\s{3,}|[\n\t|;]|$|\.\s|,? (?:[A-Z][\w.]{0,12} ?){1,2}:|\s(?:Tel|Phone|DOB|MRN)\b)"
)
_LIVES_IN = re.compile(
    r"(?i:\b(?:lives?|living|lived|resid(?:es?|ing)|resident|stays?|staying|moved|based|born|native|wohnhaft|wohnt|lebt|vive|viven|vit|habite|reside|abita|mora|moro|vivo|mieszka|woont|bor)"
    r" (?:in|near|to|en|à|au|a|em|w|of|at|nära|i|just outside|outside)) (?:the )?"
    rf"({_CAPITALIZED_WORD}(?:[ -](?:(?:upon|on|de|la|le|del|am|sur) )?{_CAPITALIZED_WORD}){{0,3}})"
)
_NOT_A_PLACE = re.compile(r"(?i:same|unknown|none|nil|as above|n/?a|home|see|not known|no fixed|nfa|withheld)\b")


def find_addresses(text: str) -> Iterator[Identifier]:
    """Streets, boxes, postcodes and towns; countries and the states of large ones stay."""
    for one in apply_rules(text, _ADDRESS_RULES):
        yield one
        if one.kind == "address":
            yield from find_address_tail(text, one.end)
    for found in _POSTCODE_TOWN.finditer(text):
        before = text[max(0, found.start() - 2) : found.start()]
        if before.endswith((", ", "\n", "- ", "– ")) and found[1] not in COUNTRIES_AND_STATES | NOT_NAMES:
            yield Identifier("address", *found.span())
    for found in _ADDRESS_LABEL.finditer(text):
        if _is_place(found[1]):
            yield Identifier("address", *found.span(1))
    for found in _LIVES_IN.finditer(text):
        if found[1] not in COUNTRIES_AND_STATES and found[1].split()[0] not in NOT_NAMES:
            yield Identifier("address", *found.span(1))


def find_address_tail(text: str, start: int) -> Iterator[Identifier]:
    """The town, region and postcode behind a street."""
    for _ in range(3):
        found = _ADDRESS_TAIL.match(text, start)
        if found is None:
            return
        words = found.group().strip(" ,()")
        if (
            len(words) < 2
            or _YEAR_ALONE.fullmatch(words)
            or words.split()[0] in NOT_NAMES
            or words in COUNTRIES_AND_STATES
            or re.fullmatch(_STATE_CODE, words)
            or re.match(
                r"(?i:t[eé]l(?:[eé](?:f|ph)on[eo]?)?|phone|handy|mobile?|dob|mrn|mob|fax|nhs|email|aged?|cep|cap|plz|gp|nok)\b",
                words,
            )
        ):
            return
        kind: IdentifierKind = "postcode" if words[0].isdigit() else "address"
        yield Identifier(kind, found.end() - len(found.group().lstrip(" ,(")), found.end())
        start = found.end()


def _is_place(words: str) -> bool:
    known = words.strip(" .")
    return (
        bool(re.search(r"\d|[A-ZÀ-Þ]", known)) and known not in COUNTRIES_AND_STATES and not _NOT_A_PLACE.match(known)
    )


def find_explicit_identifiers(text: str) -> list[Identifier]:
    """Identifiers that a label, a title or their form makes certain, in order, none within another."""
    streets = (one for one in find_addresses(text) if _STREET_WITH_NUMBER.match(text, one.start))
    return merge_overlaps((*apply_rules(text, _EXPLICIT_RULES), *find_birth_dates(text), *streets))


_MONTHS = LABEL_WORDS["month"]
_MONTH = rf"(?i:{_MONTHS})\b\.?"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH_NUMBER = r"(?:0?[1-9]|1[0-2])"
_NO_UNIT_BEHIND = r"(?!\s*(?:mg|mcg|µg|g\b|ml|mL|units?|IU|%|mm|kg|cm|/\s*\d|-\d))"
_NO_EDITION_BEHIND = r"(?! (?:update|guidelines?|edition|version|statement|revision|issue|consensus))"
_DATE_WORDS = LABEL_WORDS["word before a date"]
_WEEKDAY = (
    r"(?:(?i:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?i:day)?,?|(?i:montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo),?)"
)
_NO_COUNT_BEHIND = (
    r"(?!\s?(?:of\b|tablets?|tabs?\b|occasions|cases|patients|strength|way\b|times|days|hours|weeks|months|h\b|criteria|positive"
    r"|to \d{1,2}/\d|points?|score|pain|doses?|teeth|limbs?))"
)

_DATE_PATTERNS = (
    re.compile(rf"\b{_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}(?!\d)"),
    re.compile(rf"\b{_DAY}([/-]){_DAY}\1(?:{_YEAR}|\d\d)(?!\w){_NO_UNIT_BEHIND}"),
    re.compile(rf"\b{_DAY}\.\s?{_MONTH_NUMBER}\.\s?{_YEAR}\b|\b{_DAY}\.{_MONTH_NUMBER}\.\d\d\b(?![.,]?\d)"),
    re.compile(rf"\b{_DAY}([-/. ])(?:{_MONTH}|(?i:ago|out|set|ene|gen|mag|giu|lug))\1(?:{_YEAR}|\d\d)\b"),
    re.compile(rf"\b{_YEAR}[-/ ]{_MONTH}[-/ ]{_DAY}\b"),
    re.compile(
        rf"(?<![\w.,])(?:{_WEEKDAY} )?(?:the )?{_DAY}(?:st|nd|rd|th|er|ste|de|e|º|ª|\.)?[ -](?:of |de |d')?{_MONTH}(?:(?:,? |-| de | del |/)(?:{_YEAR}|\d\d\b))?"
        rf"{_NO_EDITION_BEHIND}{_NO_UNIT_BEHIND}"
    ),
    re.compile(
        rf"\b{_MONTH} (?:the )?{_DAY}(?:st|nd|rd|th)?\b(?![./:]\d)(?:,? {_YEAR}\b)?{_NO_UNIT_BEHIND}(?! (?:million|to \d|patients|cases))"
    ),
    re.compile(rf"\b{_MONTH},? (?:de )?{_YEAR}\b{_NO_EDITION_BEHIND}"),
)
_MONTH_FIRST, _MONTH_AND_YEAR = _DATE_PATTERNS[6], _DATE_PATTERNS[7]
_MONTH_OR_VERB = re.compile(r"(?:may|mar|mars|set|out|dec|gen|ago|mag|mai|lug|apr|sun|do) ", re.IGNORECASE)
"""Small letters that are a word oftener than a month: "may 5", "set 3"."""

_MONTH_ENDS_SENTENCE = re.compile(rf"(?i:{'|'.join(MONTH_NAMES)})\. ?\d")
"""A sentence that ends with a month, and a number that begins another."""

_BARE_DAY_AND_MONTH = re.compile(
    rf"(?<![\w/.,<>=-])(?<!BP )(?<!TA )(?<!RR )(?<!GCS )(?<!PCV )(?<!PAP )(?<!PS )(?<!SIMV )(?<!score )((?:1[3-9]|2\d|3[01])/(?:0?[1-689]|11))(?![\w/%-]|[.,]\d){_NO_UNIT_BEHIND}{_NO_COUNT_BEHIND}"
)
"""A day and a month that nothing announces: no days of seven, no points of ten, no months of twelve."""

_DATE_WORD_BEFORE = re.compile(r"(?i:\b(?:due|on|since|until|till|from|by|was|born|around)(?: the)? )$")

_PARTIAL_DATE_PATTERNS = (
    re.compile(
        rf"(?i:(?<![\w/])(?:{_DATE_WORDS})(?: the)?[: ]{{1,2}})({_DAY}/{_DAY})(?![\d/])(?!\d){_NO_UNIT_BEHIND}{_NO_COUNT_BEHIND}"
    ),
    re.compile(rf"(?i:(?<![\w])(?:{_DATE_WORDS})[: ]{{1,2}})({_DAY}\.{_MONTH_NUMBER}\.)(?!\d)"),
    re.compile(rf"\b(?:{_WEEKDAY}) (?:the )?(?:{_DAY}(?:st|nd|rd|th)|{_DAY}[/.]{_MONTH_NUMBER}\.?)(?![\w/])"),
    re.compile(
        r"(?i:\b(?:on|since|until|till|by|from|before|after|operated)(?: on)?) ((?:the )?(?:[12]?\d|3[01])(?:st|nd|rd|th)"
        r" of (?:this|last|next) month|(?:the )?(?:[12]?\d|3[01])(?:st|nd|rd|th))(?=[,.;)\n]|$| at | and | with )"
    ),
    re.compile(
        r"\b((?:Christmas|Boxing|New Year[’']?s|Easter|Whit|Good|Ash|Thanksgiving) (?:Day|Eve|Sunday|Monday|Friday|Wednesday))\b"
    ),
)
_AGE_UNITS = r"[ -]?(?:years?|yrs?|y)[ -]?(?:old|o\b)|[ -]?y/?o\b|[ -]?y\.o\.|[ -]?yrs?\b|(?=[MF]\b)|-jährig|-?jarige|-letni| Jahre\b| ans\b| años\b| anni\b| anos\b| jaar\b| lat\b| år\b| yaş"
_AGE_PATTERNS = (
    re.compile(r"\b(?:(?i:aged?|alter|edad|idade|età|leeftijd|wiek|ålder)(?:/sex)?\s*:?|age of|[A-Z][a-z]+,) ?(9\d|1[01]\d)\b(?! ?(?:%|m[glm]|m[LM]|M[LG]|k[Vg]|cc|cm|IU|bpm|years? of|patients|to\b|-))"),
    re.compile(rf"(?<!over )(?<!above )(?<!than )(?<![≥>])(?<!beyond )(?<!-)(?<!/)\b(9\d|1[01]\d)(?:{_AGE_UNITS})(?! (?:or|and) (?:older|over|above))"),
    re.compile(r"(?i:\b(?:she|he)(?:[’']?s| is| was| turned| just turned)) (9\d|10\d)\b(?! ?(?:%|kg|cm|mg|lb|on |over))"),

)  # fmt: skip
_STUDY_WORD = re.compile(
    r"(?i:\b(?:patients|participants|studies|articles|trials|subjects|databases?|enrolled|women|children|infants|cohort|literature"
    r"|searched|data|retrospective(?:ly)?|cases|consecutive|hospitals|published|registry|volunteers|men|samples|survey)\b)"
)
_DOCUMENT_WORD_BEFORE = re.compile(
    r"(?:(?i:\b(?:rev(?:ised|ision)?|version|v ?\d+(?:\.\d+)?|updated?|edition|guidelines?|leaflet|form|copyright|valid|exp(?:iry|ires)?|template|protocol|policy"
    r"|approved|issued?|pathway|bnf|formulary|standard|recommendations?|statement|alert|bulletin|expired?|published|effective)\b[^\n]{0,28}"
    r"|©[^\n]{0,28})|\b(?:NICE|SIGN|NG\d{1,3}|MHRA|FDA|EMA|WHO|CDC|JCVI|ACIP|USPSTF|ESC|AHA|GINA|GOLD|KDIGO|ADA|BTS|BNF|RCOG|ACOG)\b[^\n]{0,16}|(?i:in line with|according to|as per|per) [A-Z]{2,6} )$"
)
_STUDY_WORD_WINDOW = 160


_PARTIAL_DATE_RULES = tuple(
    IdentifierRule("date", pattern) for pattern in (*_PARTIAL_DATE_PATTERNS, _BARE_DAY_AND_MONTH)
)


def find_dates(text: str) -> Iterator[Identifier]:
    """Days and months with a year. The months in which a study ran are no patient's."""
    for pattern in _DATE_PATTERNS:
        yield from (Identifier("date", *found.span()) for found in pattern.finditer(text) if _is_of_somebody(found))
    yield from apply_rules(text, _PARTIAL_DATE_RULES)


def _is_of_somebody(found: re.Match[str]) -> bool:
    """Whether a date is none of a document or a study, and no other word than a month."""
    text, start = found.string, found.start()
    if _MONTH_ENDS_SENTENCE.match(found.group()):
        return False
    if found.re is _MONTH_FIRST and _MONTH_OR_VERB.match(found.group()) and not _is_certain_date(found.group()):
        return _DATE_WORD_BEFORE.search(text[max(0, start - 12) : start]) is not None
    if found.re is _MONTH_AND_YEAR:
        around = text[max(0, start - _STUDY_WORD_WINDOW) : found.end() + _STUDY_WORD_WINDOW]
        return not (_DOCUMENT_WORD_BEFORE.search(text[max(0, start - 40) : start]) or _STUDY_WORD.search(around))
    return True


def _is_certain_date(words: str) -> bool:
    return bool(re.search(r"(?:st|nd|rd|th)\b|(?:19|20)\d\d$", words)) or (
        words[0].isupper() and not words[:3].isupper()
    )


def find_ages(text: str) -> Iterator[Identifier]:
    """Ages from 90."""
    return apply_rules(text, [IdentifierRule("age", pattern) for pattern in _AGE_PATTERNS])


def find_birth_dates(text: str) -> Iterator[Identifier]:
    """Dates directly behind a word that says that somebody was born then."""
    if labels := {label.end() for label in _BIRTH_LABEL.finditer(text)}:
        yield from (one for one in find_dates(text) if one.start in labels)
