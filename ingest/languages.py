"""Which language a text is in: by its script, then by its stop words. Small and deterministic.

A guess is made only where it changes what is done: which stemmer and stop words apply, and whether
an English model can be trusted with the text.
"""

import re
from collections import Counter
from functools import lru_cache

ENGLISH = "english"
UNKNOWN = "unknown"  # another script, or too little to tell

# Function words, the most frequent of each language, folded as the index folds them.
STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        ENGLISH: (
            "a about after again ain all also am an and any are aren aren't as at be because"
            " been before being between both but by can can't could couldn couldn't did didn"
            " didn't do does doesn doesn't doing don don't down during each few for from"
            " further had hadn has hasn hasn't have haven haven't having he her here hers him"
            " his how i i'd i'll i'm i've if in into is isn isn't it it's its itself just let"
            " let's like many me might more most much must my no nor not of off on once only or"
            " other our ours out over own please same shall she should shouldn shouldn't so"
            " some such than that that's the their theirs them then there there's these they"
            " they're this those through to too under until up us very was wasn wasn't we we're"
            " were weren what what's whats when where which while who who's whom whose why will"
            " with won won't would wouldn wouldn't you you're your yours"
        ),
        "german": (
            "aber alle als also am an auch auf aus bei bin bis bist da damit das dass dem den"
            " denn der des die dies diese diesem diesen dieser dieses doch dort du durch ein"
            " eine einem einen einer eines er es euch für gegen gibt hat hatte hatten ich ihm"
            " ihn ihr ihre ihrem ihren ihrer im in ist ja jede jeder kann kein keine"
            " können man mein meine mit muss nach nicht noch nur ob oder ohne sein seine seinem"
            " seinen seiner sich sie sind so soll um und uns unser unter viele vom von vor wann"
            " war waren warum was welche welchem welchen welcher welches wem wen wenn wer"
            " werden weshalb wessen wie wieso wir wird wo wodurch wofür wogegen woher wohin womit"
            " worauf woraus worin worüber wovon wozu wurde wurden zu zum zur zwischen über"
        ),
        "spanish": (
            "a al algo ante antes como con contra cual cuál cuales cuáles cuando cuándo cuanto"
            " cuánto cuántos cuántas de del desde donde dónde durante e el él ella ellas ellos"
            " en entre era eran es esa ese eso esta está están este esto estos fue fueron ha"
            " había han hasta hay la las le les lo los más me mi muy nada ni no nos o otra otro"
            " para pero por porque qué que quién quien quiénes se sea según ser si sí sido sin"
            " sobre son su sus también tiene tienen todo todos tu un una uno unos y ya yo"
        ),
        "french": (
            "a à ai au aux avec c ce ces cette comment combien d dans de des du elle elles en"
            " est et été être eu il ils j je l la le les leur leurs lui ma mais me même mes moi"
            " mon n ne nos notre nous on ont ou où par pas pour pourquoi qu quand que quel"
            " quelle quelles quels qui s sa se sera ses si son sont sur ta te tes toi ton tu un"
            " une vos votre vous y était"
        ),
        "italian": (
            "a ad ai al alla alle anche che chi ci come con cosa da dal dalla dei del della"
            " delle di dopo dove e è ed era gli ha hanno i il in io la le lo loro ma mi nel"
            " nella non o perché più può quale quali quando quanti quanto questa questo se"
            " si sono su sua sul sulla suo tra un una uno"
        ),
        "portuguese": (
            "a ao aos as às com como da das de dela dele do dos e é ela ele em entre era essa"
            " esse esta este eu foi foram há isso já mais mas me meu na não nas no nos o onde"
            " os ou para pela pelo por porque qual quais quando quanto que quem se sem ser seu"
            " sua são também tem um uma você"
        ),
        "dutch": (
            "aan al als bij dan dat de deze die dit door een en er geen had heb hebben heeft"
            " het hij hoe hoeveel ik in is je kan maar met mijn moet na naar niet nog of om"
            " onder ons ook op over te tot u uit van veel voor waar waarom wanneer was wat we"
            " welke werd wie wij worden wordt zich zij zijn zou"
        ),
        "russian": (
            "а без был была были было быть в вам вас во вот все вы где да для до его ее если"
            " есть еще же за и из или им их к как какая какие какой когда которые который кто"
            " ли между меня мне можно мы на над не него нет но о об он она они от по под после"
            " почему при с свой сколько со так также там то только ты у уже что чтобы чем это"
            " эти этот я"
        ),
    }.items()
}

# Function words that begin a question, and hardly ever an English text.
_QUESTION_WORDS = (
    "wann warum welche welchem welchen welcher welches wem wen wer weshalb wessen wie wieso wo"
    " wodurch wofür wogegen woher wohin womit worauf woraus worin worüber wovon wozu"
    " cual cuál cuales cuáles cuando cuándo cuanto cuánto cuántos cuántas donde dónde quién"
    " quiénes pourquoi combien quand quel quelle quelles quels où perché quale quali quando quanti"
    " quanto quais qual onde waarom wanneer waar welke hoeveel"
)
_ASKING = frozenset(_QUESTION_WORDS.split())

_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in STOP_WORDS.items():
    for _word in _words:
        _LANGUAGES_OF.setdefault(_word, []).append(_language)

_CJK = (
    "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
_UNSPACED = re.compile(f"[{_CJK}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f\u1e00-\u1eff\u0370-\u03ff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LETTER = re.compile(r"[^\W\d_]")
# Not a part of a path, an address or a dotted name.
_WORD = re.compile(r"(?<![\w./:@])[^\W\d_]+(?:['’][^\W\d_]+)?(?![./:@]?\w)")
_INVERTED = re.compile("[¿¡]")
_SAMPLE_CHARS = 2000
ENOUGH_WORDS = 2
_LEAST_SHARE = 0.1  # of the words: in prose a third and more are function words
_OTHER_SHARE = 0.3  # of the letters: fewer are names and quotations inside a Latin text


def is_unspaced(char: str) -> bool:
    """Whether the script of a character is written without spaces between words."""
    return bool(_UNSPACED.match(char))


def language_of(text: str) -> str:
    """One of `STOP_WORDS`, or `UNKNOWN` for a script that is none of theirs.

    A Latin text is English unless it has two function words of another language, and more that
    English lacks than English ones that the other lacks: most short texts without any (names, code,
    headings) are English here. A question word at its beginning counts twice.
    """
    return _language_of(text[:_SAMPLE_CHARS])


@lru_cache(maxsize=4096)
def _language_of(sample: str) -> str:
    letters = len(_LETTER.findall(sample))
    foreign = len(_OTHER_SCRIPT.findall(sample))
    if letters and foreign / letters > _OTHER_SHARE:
        return "russian" if len(_CYRILLIC.findall(sample)) * 2 > foreign else UNKNOWN
    found = [word.replace("’", "'") for word in _WORD.findall(sample.casefold())]
    words = [word for word in found if len(word) > 1]  # single letters are variables in code
    counts = Counter(name for word in words for name in _LANGUAGES_OF.get(word, ()))
    if words and words[0] in _ASKING:
        counts.update(_LANGUAGES_OF[words[0]])
    counts["spanish"] += ENOUGH_WORDS if _INVERTED.search(sample) else 0
    shared = Counter(
        name for word in words if word in STOP_WORDS[ENGLISH] for name in _LANGUAGES_OF[word]
    )
    best = max(
        counts, key=lambda name: (counts[name] - shared[name], counts[name]), default=ENGLISH
    )
    foreign, english = counts[best] - shared[best], counts[ENGLISH] - shared[best]
    enough = max(ENOUGH_WORDS, _LEAST_SHARE * len(words))
    return best if counts[best] >= enough and foreign > english else ENGLISH
