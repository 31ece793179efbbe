"""Clinical questions in the words of an article itself, by rule: of its title, or of the sentence that says its aim.

Two forms are read: effects of something on an outcome or in people, and comparisons of two things. Whatever has another
form gives no question, and the reason is told.
"""

import re
from typing import NamedTuple

from wellsourced.late import compile_late
from wellsourced.text.lexicon import word_set
from wellsourced_evaluate.builders.review_titles import PROTOCOL, read_title_question

MIN_WORDS, MAX_WORDS = 6, 45

_MEASURES = (
    r"effects?|impacts?|influences?|efficac(?:y|ies)|effectiveness|cost-effectiveness|safety|tolerability|benefits?"
    r"|usefulness|utility|accuracy|value|feasibility|acceptability|roles?|outcomes?|pharmacokinetics|performance"
)
_QUALITY = (
    r"(?:clinical |therapeutic |relative |comparative |long-term |short-term |acute |potential |analgesic |diagnostic "
    r"|prognostic |predictive |protective |adverse |beneficial |side |immediate |early |late |additional )*"
)
_MEASURED = rf"(?P<measure>{_QUALITY}(?:{_MEASURES})(?:(?:, | and |, and |/)(?:the )?{_QUALITY}(?:{_MEASURES}))*)"
_EFFECT = compile_late(
    rf"(?:the )?{_MEASURED} of (?P<what>.+?) (?P<link>on|in|for|among|during|after|against|upon|as) (?P<rest>.+)",
    re.IGNORECASE,
)
_COMPARED = compile_late(
    rf"(?:the )?(?:{_MEASURED} of )?(?P<one>.+?) (?:with|to|(?(measure)and|versus)|versus|vs\.?|against"
    r"|compared (?:with|to)) (?P<other>.+?) (?P<link>in|on|for|among|during|after|as|regarding|with (?:respect"
    r"|regard) to|in terms of)"
    r" (?P<rest>.+)",
    re.IGNORECASE,
)
_VERSUS = compile_late(
    r"(?:(?:a |an )?(?:[\w-]+ )*?comparison (?:of|between) )?(?P<one>.+?) "
    r"(?:versus|vs\.?|compared (?:with|to)|in comparison (?:with|to)) (?P<other>.+?) "
    r"(?P<link>in|on|for|among|during|after) (?P<rest>.+)",
    re.IGNORECASE,
)
_COMPARISON_OF = compile_late(
    r"(?:a |an )?(?:[\w-]+,? )*?comparison (?:of|between) (?P<one>.+?) (?:and|with|versus|vs\.?|to) (?P<other>.+?) "
    r"(?P<link>in|on|for|among|during|after) (?P<rest>.+)",
    re.IGNORECASE,
)
_TREATMENT = compile_late(
    r"(?P<what>.+?) (?P<link>for|in) (?:the )?(?P<rest>(?:treatment|prevention|management|prophylaxis|relief"
    r"|control) of .+)",
    re.IGNORECASE,
)
_AIM = compile_late(
    r"(?:(?:the |our )?(?:primary |main |specific |overall )*(?:aims?|objectives?|purposes?|goals?)"
    r"(?: (?:of|for) (?:this|the|our|these)[^.]{0,80}?)? (?:was|were|is|are)[,:]? to"
    r"|(?:in th(?:is|e present) [^.,]{0,40}, )?(?:we|the authors) (?:aimed|sought|wanted|intended|set out) to"
    r"|(?:this|the present|our|the current)(?: [^.]{0,80}?)? (?:study|trial)(?: \([^)]*\))? (?:aim(?:s|ed)|sought"
    r"|was (?:designed|undertaken|conducted|performed|carried out)) to|^to)"
    r" (?:\w+ly )?(?P<verb>compare|determine|evaluate|assess|investigate|examine|test|study|explore|establish|ascertain"
    r"|measure|analy[sz]e|review|describe|quantify|estimate)(?:,? (?:and|or) (?:compare|evaluate|assess|describe))?"
    r"(?: and (?:\w+ly )?\w+)? (?P<rest>.+)",
    re.IGNORECASE,
)
_AIM_PAST = compile_late(
    r"(?:we|this(?: [^.]{0,80}?)? (?:study|trial)) (?:\w+ly )?(?P<verb>compared|evaluated|assessed|investigated"
    r"|examined|tested) (?P<rest>.+)",
    re.IGNORECASE,
)
_WHETHER = compile_late(r"(?:whether|if) (?P<clause>.+)", re.IGNORECASE)
_AUXILIARY = compile_late(
    r"(?P<subject>.+?) (?P<verb>is|are|was|were|can|could|would|will|may|might|should|has|have|had) (?P<rest>.+)"
)
_BASES = word_set(
    "reduce improve increase decrease enhance prevent lower affect influence lead cause delay protect predict "
    "correlate differ alter change impair induce promote facilitate shorten prolong attenuate impact ameliorate "
    "alleviate suppress inhibit modify modulate contribute benefit produce confer minimize accelerate slow "
    "relieve decline help yield achieve mitigate diminish raise restore"
)
_VERBS = {
    base: (base, f"{base}s", "led" if base == "lead" else f"{base}d" if base.endswith("e") else f"{base}ed")
    for base in sorted(_BASES)
}
_VERB_FORMS = {form: base for base, forms in _VERBS.items() for form in forms}
_VERBAL = compile_late(
    rf"(?P<subject>.+?) (?P<verb>{'|'.join(sorted(_VERB_FORMS, key=len, reverse=True))}) (?P<rest>.+)"
)

_DESIGN_TAIL = compile_late(
    r"\s*(?:[:;.–—]|\s-)\s*(?:results? (?:of|from)|findings|an? |the |design|rationale|systematic|meta"
    r"|randomi[sz]ed|double|"
    r"single|multi|prospective|retrospective|pilot|phase|protocol|study|open|cross|cluster|preliminary|clinical"
    r"|subgroup|"
    r"post|one|two|three|\d|comparison|evidence|data|secondary|controlled|outcomes|feasibility|long)[^:]*$"
    r"|\s*[(\[][^()]*(?:trial|study|ISRCTN|NCT)[^()]*[)\]]\s*$",
    re.IGNORECASE,
)
_DESIGN_HEAD = compile_late(
    r"^(?:(?:a|an|the) )?(?:(?:prospective|retrospective|randomi[sz]ed|double-blind|single-blind"
    r"|placebo-controlled|controlled"
    r"|clinical|pilot|multi-?cent\w+|open-label|phase [\dIVab/]+|cluster|crossover|comparative|preliminary),? )*"
    r"(?:trial|study|evaluation|assessment) of (?:the )?",
    re.IGNORECASE,
)
_PEOPLE = compile_late(
    r"\b(?:in|among|for|with) (?P<people>(?:(?!(?:in|among|for|with)\b)[^,;\s]+ ){0,6}?(?:patients?|adults?"
    r"|children|women|men|adolescents|infants|"
    r"neonates|newborns?|people|persons|individuals|subjects|volunteers|participants|students|workers|survivors"
    r"|rats?|mice|"
    r"residents|mothers|older|elderly|pregnan\w+|athletes|smokers|inpatients|outpatients|recipients|users"
    r"|veterans)\b.*)",
    re.IGNORECASE,
)
_SUBORDINATE = compile_late(r"\b(?:that|which|who|whose|when|if|results? in|leads? to)\b")
_SECOND_VERB = compile_late(
    rf"\b(?:and|or) (?:\w+ly )?(?:{'|'.join(f'{base}s' for base in _VERBS)}|activates|results|evaluated|assessed"
    r"|determined|compared|examined|investigated|tested|explored|investigation|assessment|evaluation|whether)\b",
)
"""A verb that goes on after "and": its form would have to change in a question."""
_PARTICIPLE = compile_late(r"(?:\w+ly )?(?:\w+ed|been|become|shown|had|led|grown)\b")
_AFTER_PEOPLE = compile_late(
    r"\s(?:in comparison|compared|versus|vs|when|after|during|before|at|following|treated|receiving|to \w+"
    r"|and (?:investigation|assessment|evaluation))\b.*$",
    re.IGNORECASE,
)
_LINK_END = compile_late(r"[\s,]+(?:in|among|for|with|of|on)?\s*$", re.IGNORECASE)
_TAIL = compile_late(
    r"(?:,? (?:using|by (?:using|means|comparing|a|an|analy\w+)|based on|through|via|(?:in|during) (?:a|an|this"
    r"|the (?:present|current))"
    r" [^.]*?(?:trial|study|analysis|setting|design|model)\b|in order to|as (?:measured|assessed|determined) by"
    r"|after adjusting"
    r"|and to|and whether|and if|with the aim|according to)\b.*)$|\s*[.;:].*$",
    re.IGNORECASE,
)


class RuleQuestion(NamedTuple):
    """A question that a title or an aim gives, with its parts as far as they are told; `reason` says why none."""

    text: str = ""
    reason: str = ""
    population: str = ""
    intervention: str = ""
    comparison: str = ""
    outcome: str = ""


_CLAIMS = compile_late(
    rf"\b(?:{'|'.join(f'{base}s' for base in _VERBS)}|demonstrat(?:es|ed)|shows?|is|are|was|were|remains?|suggests?)\b"
    r"|:",
    re.IGNORECASE,
)
_NO_SIDE = compile_late(
    r"^(?:the )?(?:effects?|impacts?|incidence|prevalence|rates?|complications?|results?|outcomes?|use|risk|changes"
    r"|treatment failure|survival|patients?|onset|time|levels?|numbers?|measurements?)\b"
    r"|^(?:low|high|early|late|new|old|single|double|short|long|small|large|full|open)$"
    r"|^[\w-]+(?:al|ic|ive|ed|ous|ary|ory|ant|ent|ful|less|able|ible|ular|ing|term|dose|risk|based|assisted)$",
    re.IGNORECASE,
)
"""What is compared is a treatment: no measure of it, and no adjective whose noun stands on the other side."""

NO_FORM = RuleQuestion(reason="neither its title nor its aim has the form of an effect or a comparison")


def ask_by_title(title: str) -> RuleQuestion:
    """The question behind a title: "Effect of A on B", "A versus B for C", "A for the treatment of B", "A?"."""
    plain = " ".join(title.split()).strip(" .[]")
    if PROTOCOL.search(plain):
        return RuleQuestion(reason="it is a protocol: nothing was found yet")
    if "?" in plain:
        asked = read_title_question(plain)
        return RuleQuestion(asked.text, asked.reason)
    plain = _DESIGN_HEAD.sub("", plain)
    while (cut := _DESIGN_TAIL.sub("", plain)) != plain:
        plain = cut
    if found := _EFFECT.fullmatch(plain):
        return _ask_effect(found)
    for pattern in (_VERSUS, _COMPARISON_OF):
        if found := pattern.fullmatch(plain):
            return _ask_comparison(found)
    if (found := _TREATMENT.fullmatch(plain)) and not (_CLAIMS.search(plain) or _NO_SIDE.search(found["what"])):
        text = f"How effective is {found['what']} for the {found['rest']}?"
        return RuleQuestion(text, intervention=found["what"], outcome=found["rest"], population=_find_people(plain))
    return NO_FORM


def ask_by_aim(sentence: str) -> RuleQuestion:
    """The question behind a sentence that says what a study is for: "to determine whether A reduces B in C"."""
    plain = " ".join(sentence.split())
    found = _AIM.search(plain) or _AIM_PAST.search(plain)
    if not found:
        return NO_FORM
    rest = _TAIL.sub("", found["rest"]).strip(" .,")
    if _SECOND_VERB.search(rest):
        return NO_FORM
    if clause := _WHETHER.fullmatch(rest):
        return _ask_whether(clause["clause"])
    if found["verb"].lower().startswith("compar"):
        compared = _COMPARED.fullmatch(rest)
        return _ask_comparison(compared) if compared else NO_FORM
    if effect := _EFFECT.fullmatch(rest):
        return _ask_effect(effect)
    return NO_FORM


def _ask_effect(found: re.Match[str]) -> RuleQuestion:
    measure, rest = found["measure"].lower(), found["rest"]
    is_several = bool(
        re.search(r" and |,|/", measure)
        or re.search(r"(?:effects|impacts|influences|outcomes|benefits|roles)$", measure)
    )
    verb = "are" if is_several else "is"
    text = f"What {verb} the {measure} of {found['what']} {found['link']} {rest}?"
    if _CLAIMS.search(found["what"]) or ":" in rest:
        return NO_FORM
    people = _find_people(f"{found['link']} {rest}")
    outcome = _LINK_END.sub("", rest.partition(people)[0]) if people else rest
    return RuleQuestion(
        text,
        intervention=found["what"].strip(" ,"),
        outcome=outcome if found["link"] in ("on", "upon") else measure,
        population=people or (rest if found["link"] in ("in", "among") and not rest.split()[0].endswith("ing") else ""),
    )


def _ask_comparison(found: re.Match[str]) -> RuleQuestion:
    one, other, rest = found["one"], found["other"], f"{found['link']} {found['rest']}"
    measure = (found.groupdict().get("measure") or "").lower()
    aspect = f" in {measure}" if measure else ""
    if any(_NO_SIDE.search(side) or _CLAIMS.search(side) for side in (one, other)) or ":" in rest:
        return RuleQuestion(reason="what it compares cannot be told")
    verb = "do" if re.search(r"(?<!s)s$| and ", one) else "does"
    text = f"How {verb} {one} compare with {other}{aspect} {rest}?"
    return RuleQuestion(
        text, intervention=one, comparison=other, outcome=measure or rest, population=_find_people(rest)
    )


def _ask_whether(clause: str) -> RuleQuestion:
    verbal, auxiliary = _VERBAL.fullmatch(clause), _AUXILIARY.fullmatch(clause)
    found = min(filter(None, (verbal, auxiliary)), key=lambda one: len(one["subject"]), default=None)
    if found is None or _SUBORDINATE.search(found["subject"]) or _SECOND_VERB.search(found["rest"]):
        return NO_FORM
    subject, verb, rest = found["subject"], found["verb"], found["rest"]
    if verb in _VERB_FORMS:
        is_several = verb == _VERB_FORMS[verb] or bool(
            re.search(r"(?<!s)s$| and ", subject.split(" in ")[0].split(" of ")[0])
        )
        text = f"{'Do' if is_several else 'Does'} {subject} {_VERB_FORMS[verb]} {rest}?"
    elif verb in ("has", "have", "had") and not _PARTICIPLE.match(rest):
        text = f"{'Do' if verb == 'have' else 'Does'} {subject} have {rest}?"
    else:
        now = {"was": "is", "were": "are", "could": "can", "had": "has", "might": "may"}.get(verb, verb)
        text = f"{now.capitalize()} {subject} {rest}?"
    return RuleQuestion(text, intervention=subject, outcome=rest, population=_find_people(rest))


def _find_people(text: str) -> str:
    found = _PEOPLE.search(text)
    return _AFTER_PEOPLE.sub("", found["people"]).strip() if found else ""
