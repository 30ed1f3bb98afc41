"""Requirements of a document: attached ideas, those that say the same as one, the best supported first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from sightline.intelligence.embedded.documents.findings import Finding, Findings
from sightline.intelligence.embedded.likeness import are_alike, telling_words
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.material import AboutIdea

_ALIKE_NAMES: Final = 0.5
_ALIKE_SENTENCES: Final = 0.75


@dataclass(frozen=True)
class Requirement:
    """One or several similar ideas, and the findings that they answer."""

    number: int
    ideas: Sequence[AboutIdea]
    problems: Sequence[Finding]
    praise: Sequence[Finding]

    @property
    def label(self) -> str:
        return f"R{self.number}"

    @property
    def name(self) -> str:
        return self.ideas[0].name

    @property
    def public_ids(self) -> list[str]:
        return [idea.public_id for idea in self.ideas]

    @property
    def features(self) -> list[str]:
        return list(dict.fromkeys(chain.from_iterable(idea.features for idea in self.ideas)))

    @property
    def accounts(self) -> list[str]:
        """The customers of the requirement: linked to an idea, or to a finding that it answers."""
        direct = chain.from_iterable(idea.accounts for idea in self.ideas)
        indirect = chain.from_iterable(finding.accounts for finding in (*self.problems, *self.praise))
        return list(dict.fromkeys(chain(direct, indirect)))


def find_requirements(ideas: Sequence[AboutIdea], findings: Findings) -> list[Requirement]:
    """Groups near-identical ideas. Orders them by the rank of their findings, then customers, findings and votes."""
    groups = [_with_findings(group, findings) for group in _grouped(ideas)]
    return [replace(one, number=number) for number, one in enumerate(sorted(groups, key=_order), 1)]


def _with_findings(ideas: Sequence[AboutIdea], findings: Findings) -> Requirement:
    ids = {idea.public_id for idea in ideas}
    problems, praise = (
        [finding for finding in found if ids.intersection(finding.ideas)]
        for found in (findings.problems, findings.praise)
    )
    return Requirement(0, ideas, problems, praise)


def _order(requirement: Requirement) -> tuple[int, int, int, int, int]:
    ranks = [finding.rank for finding in requirement.problems]
    votes = sum(idea.votes for idea in requirement.ideas)
    return -ranks.count(0), -ranks.count(1), -len(requirement.accounts), -len(ranks), -votes


def _grouped(ideas: Sequence[AboutIdea]) -> list[list[AboutIdea]]:
    """Returns groups in the order of their first idea. Compares names and first sentences of descriptions."""
    groups: list[list[AboutIdea]] = []
    words: list[tuple[frozenset[str], frozenset[str]]] = []
    for idea in ideas:
        name, begins = telling_words(idea.name), telling_words(next(iter(split_sentences(idea.description)), ""))
        for group, (known_name, known_begins) in zip(groups, words, strict=True):
            if are_alike(name, known_name, _ALIKE_NAMES) and are_alike(begins, known_begins, _ALIKE_SENTENCES):
                group.append(idea)
                break
        else:
            groups.append([idea])
            words.append((name, begins))
    return groups
