"""Words that say little about which feature is meant, and words that take a mention back."""

from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Never count.
STOP_WORDS: Final = _set("""
    a about above after again all also although am an and any anyone are aren't as at be because been before being
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down during each
    either else ever every few for from further had hadn't has hasn't have haven't having he her here hers him his how
    however i i'd i'll i'm i've if in into is isn't it it's its just let like lot many may maybe me might more most much
    must my neither no nor not now of off on once one only onto or other others our ours out over own per perhaps please
    quite rather really same shall she should shouldn't since so some someone something such than that that's the their
    theirs them then there there's these they they're this those though through to too under until up upon us very via
    was wasn't we we'd we'll we're we've were weren't what when where whether which while who whom whose why will with
    within without won't would wouldn't yet you you'd you'll you're you've your yours yes
    im ive id dont doesnt didnt cant wont isnt etc eg ie vs thing things way ways
""")

# Said of any feature; count little in a name and nothing elsewhere.
GENERIC_WORDS: Final = _set("""
    ability able add added adding adds allow allowed allowing allows app apps application available basic better change
    changed changes come comes create created creates creating custom customer customers different easier easily easy
    enable enables feature features find first get gets getting give gives go going good great help helps
    improve improved item items keep know less let lets list look looking main make makes making manage management
    manager new nice old option options page pages people possible product products provide provides quick quickly right
    see set show shown shows simple single software still support supported supporting supports system take team teams
    tell time today tool try trying two type use used useful user users uses using view views want wanted wants
    week work working works data information
    need needs needed needing intent
""")

# What follows, up to the end of the clause, is not asked for.
DENIALS: Final = frozenset({
    ("unrelated", "to"), ("irrelevant", "to"), ("nothing", "about"), ("not", "about"), ("regardless", "of"),
    ("no", "need"), ("not", "need"), ("not", "want"), ("not", "require"), ("not", "related"), ("not", "concern"),
    ("never", "need"), ("never", "want"), ("don't", "need"), ("don't", "want"), ("don't", "require"), ("dont", "need"),
    ("dont", "want"), ("doesn't", "need"), ("doesn't", "want"), ("doesn't", "concern"), ("doesn't", "require"),
    ("didn't", "want"), ("didn't", "need"), ("isn't", "about"), ("aren't", "about"), ("wasn't", "about"),
    ("nobody", "needs"), ("nobody", "wants"), ("longer", "need"), ("longer", "want"), ("nothing", "with"),
    ("not", "asking"), ("don't", "mean"), ("not", "mean"), ("don't", "care"), ("not", "care"), ("out", "of"),
})  # fmt: skip

# What follows is only compared with.
CONTRASTS: Final = frozenset({
    ("instead", "of"), ("rather", "than"), ("other", "than"), ("apart", "from"), ("aside", "from"), ("in", "addition"),
    ("different", "from"), ("except", "for"), ("as", "opposed"), ("not", "the"), ("not", "a"), ("not", "an"),
    ("not", "just"), ("not", "only"), ("besides", "the"),
})  # fmt: skip
CONTRASTING_WORDS: Final = frozenset({"without", "unlike", "except", "excluding", "besides", "beyond"})
CLAUSE_STARTS: Final = frozenset({"but", "however", "because", "although", "though", "instead", "while"})
