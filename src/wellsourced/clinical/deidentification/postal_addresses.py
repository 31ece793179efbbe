# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Streets, boxes, postcodes and the places where somebody lives, as several countries write them."""

import re
from collections.abc import Iterator

from wellsourced.clinical.deidentification.identifiers import Identifier, IdentifierKind, IdentifierRule, apply_rules
from wellsourced.clinical.deidentification.name_lists import COUNTRIES_AND_STATES, NOT_NAMES

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
    IdentifierRule("address", re.compile(rf"\b\d{{1,5}}[a-z]? (?:[a-z'’]{{2,20}} ){{1,3}}(?:street|st|road|rd|avenue|ave|lane|ln|drive|crescent|blvd|boulevard|terrace)\b(?! (?:drug|use))\.?{_UNIT_BEHIND}")),
    IdentifierRule("address", re.compile(rf"(?<![\w.])(?:{_CAPITALIZED_WORD} ){{1,2}}{_SURE_STREET_SUFFIX}\b(?:\.(?! ))?(?! (?:Hospital|Surgery|Clinic|Practice|Journal|test|trial))")),
    IdentifierRule("address", re.compile(rf"\b(?:[A-ZÄÖÜÅØ][\w.]{{1,30}}(?:[- ][A-ZÄÖÜ]\w{{1,20}}){{0,2}}[ -]?(?i:{_GERMANIC_STREET_SUFFIX})|[a-zäöüåß]{{3,20}}(?:straße|strasse|straat|gatan|vägen|veien|str\.)) \d{{1,4}} ?[a-zA-Z]?\b(?! ?(?:mg|ml|%)){_UNIT_BEHIND}")),
    IdentifierRule("address", re.compile(r"\b(?:Am|Im|Zum|Zur|An der|An den|Auf der|Auf dem|In der|In den|Unter den) (?!Tag|Alter|Jahr|Monat|Woche|Stufe|Stadium|Grad|Zimmer|Seite)[A-ZÄÖÜ][a-zäöüß]{2,20} \d{1,3} ?[a-z]?(?=\s*[,;\n)]|$)")),
    IdentifierRule("address", re.compile(r"(?<=\^)([A-Z][A-Za-z .'-]{2,25})(?=\^[A-Z]{2,3}\^\d{4,5})")),
    IdentifierRule("address", re.compile(rf"\b\d{{1,4}}(?: ?(?:bis|ter|quater|[A-D]))?,? {_FRENCH_STREET_TYPE} (?:(?:de|du|des|la|le|les|l['’]|d['’])\s?){{0,3}}{_CAPITALIZED_WORD}(?:[ -](?:de |du |des |la )?{_CAPITALIZED_WORD}){{0,3}}")),
    IdentifierRule("address", re.compile(rf"(?<!\w){_ROMANCE_STREET_TYPE} ?(?:(?:de|del|da|do|dos|das|della|dei|la|las|los|le|l['’]|d['’]) ?){{0,3}}{_CAPITALIZED_WORD}(?: (?:(?:de|del|da|do|dos|la|della|di|y|e) )?{_CAPITALIZED_WORD}){{0,4}},? ?(?:(?:n[º°.o]{{0,2}} ?|nr\.? ?|km ?|lote ?|lt\.? ?|bloco ?|bloque ?)?\d{{1,5}}(?:[/-]?\w{{1,3}})?|s/?n\b)(?: m\. ?\d+|/\d+)?(?:,? ?\d{{1,2}}[º°ª]? ?(?:izda|dcha|[A-D])?\b\.?)?")),
    IdentifierRule("address", re.compile(r"(?i:\b(?:p\.? ?o\.? ?box|posbus|postbus|postfach|apartado|casella postale|skr\. poczt\.|private bag|locked bag|boks|boîte postale)) ?#?\d+|\b(?i:rr|rural route) ?#?\d+,? box \d+", re.IGNORECASE)),
    IdentifierRule("address", re.compile(r"(?:\b(?:PUROK|Purok|BRGY\.?|Brgy\.?|Barangay|Sitio|Mohalla|Village|VILLAGE|Vill\.|Taluk|Tehsil|Dist\.|Plot|PLOT|D\.NO\.?|H\.NO\.?|House No|House no|Door No|Flat No|FLAT NO)[.:]? ?)(?:No\.? ?)?(?:[\w/-]{1,15},? ?)(?:(?:[A-Z][\w'’.-]{1,20})(?:,? |(?=\W|$))){0,4}")),
    IdentifierRule("address", re.compile(rf"\b((?:{_CAPITALIZED_WORD} (?:(?:of|the|and|&) )?){{1,4}}(?:(?:Primary|Elementary|Nursery)(?= (?:School|[a-z])|[,.;)\n]|$)|Preschool|Pre-school|Kindergarten|Daycare|Day Care|High School|Middle School|Grammar School|Secondary School|Primary School|Care Home|Care Cent(?:er|re)|Nursing Home|Nursing Cent(?:er|re)|Residential Home|Rest Home|Retirement (?:Village|Home)|Assisted Living|Holiday Park|Caravan Park|Mobile Home Park|Trailer Park|Homeless Shelter))\b")),
    IdentifierRule("address", re.compile(rf"(?:\b(?:at|from|in|to|of) |- |, )((?!The |Full |Safe |Halfway |Open |Publishing |White )(?:{_CAPITALIZED_WORD} ){{1,2}}(?:House|Lodge|Manor|Cottage|Towers|Heights|Farm))\b(?! (?:Surgery|Clinic|Journal))")),
    IdentifierRule("postcode", re.compile(rf"\b(?:(?:{_STATE_CODE}),? |(?i:zip(?: code)?:? |p(?:ost)?code:? |PLZ:? |CEP:? |CAP:? |C\.?P\.?:? |PIN(?:code| code)?:? ?-? ?))(\d{{4,6}}(?:-\d{{3,4}})?|\d{{3}} \d{{3}})\b(?! ?(?:mg|IU|patients|units|ml))")),
    IdentifierRule("postcode", re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b(?!-)")),
    IdentifierRule("postcode", re.compile(r"\b[AC-FHKNPRTV-Y]\d[\dW] [0-9AC-FHKNPRTV-Y]{4}\b")),
    IdentifierRule("postcode", re.compile(r"\b[ABCEGHJ-NPRSTVXY]\d[A-Z] \d[A-Z]\d\b")),
    IdentifierRule("postcode", re.compile(rf"\b(?!19|20)[1-9]\d{{3}} ?[A-Z]{{2}}\b(?=,? {_CAPITALIZED_WORD}|\s*$|\n|\)|,)")),
    IdentifierRule("postcode", re.compile(r"\b(?:D|A|CH|F|I|E|NL|B|PL|S|DK|N|SE)-\d{4,5}\b|\b\d\d-\d{3}\b(?= ?[A-ZŁŚŻŹĆ])|\b\d{5}-\d{3}\b|(?<=\^)\d{5}(?=\^)|\b\d{4}-\d{3}\b(?=[ ,]+[A-Z])")),
    IdentifierRule("postcode", re.compile(r"(?:(?<=[,–(] )|(?<=\()|(?<=\n)|(?<=, ))(\d{5}|\d{3} \d\d|(?!19|20)\d{4}(?= ))(?= [A-ZÄÖÜÅŁŚŻÉ][a-zäöüßéåøæł]{2,}|\))")),
)  # fmt: skip
_POSTCODE_TOWN = re.compile(
    rf"\b(?:\d{{4,5}}|\d{{3}} \d\d|\d\d-\d{{3}}|\d{{4}} ?[A-Z]{{2}})\)? ({_CAPITALIZED_WORD}(?:[ -]{_CAPITALIZED_WORD}){{0,2}})"
)
_ADDRESS_TAIL = re.compile(
    rf"(?:(?:,? ?| - )\(?(?:\d{{4,6}}(?:-\d{{3,4}})?|\d\d-\d{{3}}|\d{{3}} \d{{2,3}})\)?(?![\w/.:])|,\s?(?!{_DWELLING_UNIT}:){_CAPITALIZED_WORD}(?:[ -](?:(?:de|del|la|di|sur|am|an der|upon|on|the|in) )?{_CAPITALIZED_WORD}){{0,3}}(?![\w:]| [:=]))"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
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
_LIVES_IN_LOWER_CASE = re.compile(
    r"\b(?:(?:i|we|he|she|they)(?:'m|m)? ?(?:live|lives|stay|stays|moved|living)) (?:in|near|to) ([a-z]{4,20})\b"
)
_ORDINARY_PLACE_WORD = re.compile(
    r"(?i:a|an|the|my|our|his|her|home|house|flat|apartment|nursing|care|assisted|town|city|country|rural|area|village|pain|fear|poverty|shelter|hostel|student|own|this|that|halls|london borough)$"
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


def find_lowercase_towns(text: str) -> Iterator[Identifier]:
    """Words in small letters behind "i live in" that no dictionary need explain; the caller knows the ordinary words."""
    for found in _LIVES_IN_LOWER_CASE.finditer(text):
        if found[1].title() not in COUNTRIES_AND_STATES and not _ORDINARY_PLACE_WORD.match(found[1]):
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
            or _YEAR.fullmatch(words)
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
