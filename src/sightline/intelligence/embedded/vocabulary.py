"""Words that say little about which feature is meant, and words that take a mention back."""

from typing import Final


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Never count.
STOP_WORDS: Final = word_set("""
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

# Words for any product: questions and searches leave them out.
GENERIC_WORDS: Final = word_set("""
    ability able add added adding adds allow allowed allowing allows app apps application available basic better change
    changed changes come comes create created creates creating custom customer customers different easier easily easy
    enable enables feature features find first get gets getting give gives go going good great help helps
    improve improved item items keep know less let lets list look looking main make makes making manage management
    manager new nice old option options page pages people possible product products provide provides quick quickly right
    see set show shown shows simple single software still support supported supporting supports system take team teams
    tell time today tool try trying two type use used useful user users uses using view views want wanted wants
    week work working works data information
    need needs needed needing
""")

# Common as verbs and in other meanings: alone, such a word is no search term.
AMBIGUOUS_WORDS: Final = word_set("""
    access account accounts action activity alert alerts answer approve archive arrival ask assign balance bill block
    board book booking bookmark browse bulk call cancel capture card cards chart chat check choose clear close comment
    comments compare connect contact content convert copy cost credit current date debit delete deliver deposit design
    direct discount discuss display document download draft drag edit email event events exchange existing export file
    files filter filters find flag follow form forms goal goals group groups guide history home image images import
    inbox insight insights install international invite issue issues join label language learn library like limit
    limits link links live load location lock log login mail map maps mark match measure media member members memory
    menu merge message messages mobile monitor move note notes notice notify offer online open order orders organize
    park pay payment payments photo photos pin plan plans play point points post posts preview price print profile
    profiles project projects publish question questions quote range rate rating read record records recover refund
    register release remind remove rename repeat reply report reports request requests reserve reset resource response
    restore result results review reviews reward role roles room rule rules run save schedule score screen scroll
    search security select send service services session setting settings setup share shift ship shop sign sort sound
    source space split stage start state status stock stop storage store story subscribe summary survey switch sync tab
    table tables tag tags target task tasks template test text theme ticket tickets timeline title top touch tour track
    trade train transfer translate trash travel trigger trip undo unlock update updates upgrade upload url video videos
    visit voice vote votes wait wallet watch web widget write zoom
""")

# After these, up to the end of the clause, features are not requested.
DENIALS: Final = frozenset({
    ("unrelated", "to"), ("irrelevant", "to"), ("nothing", "about"), ("not", "about"), ("regardless", "of"),
    ("isn't", "about"), ("aren't", "about"), ("wasn't", "about"), ("nobody", "needs"), ("nobody", "wants"),
    ("longer", "need"), ("longer", "needs"), ("longer", "want"), ("nothing", "with"), ("not", "asking"),
    ("no", "need"), ("never", "need"), ("never", "needed"), ("never", "want"), ("never", "wanted"),
    *((no, verb)
      for no in ("not", "don't", "dont", "doesn't", "doesnt", "didn't", "won't")
      for verb in ("need", "want", "require", "mean", "concern", "care")),
})  # fmt: skip

# After these, up to the end of the clause, features are only compared with.
CONTRASTS: Final = frozenset({
    ("instead", "of"), ("rather", "than"), ("other", "than"), ("apart", "from"), ("aside", "from"), ("not", "the"),
    ("different", "from"), ("except", "for"), ("opposed", "to"), ("tired", "of"), ("away", "from"),
})  # fmt: skip
CONTRASTING_WORDS: Final = frozenset({"without", "unlike", "except", "excluding"})
CLAUSE_STARTS: Final = frozenset({"but", "however", "because", "although", "though", "instead", "so"})

# A word after these is a verb: to search, we search, can search.
BEFORE_VERBS: Final = word_set("to i you we they can could will would should must may might cannot")
