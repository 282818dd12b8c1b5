"""The verdicts of all changes, as they are stored, and the figures that follow from them."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.programs.judge import ROOT

STORE = Path(__file__).with_name("verdicts.json")
PAGE = ROOT / "docs" / "program-mutants.md"

# For each part of a module: what it was when it was judged, and the verdict on each change.
Parts = dict[str, "Part"]


@dataclass(frozen=True)
class Part:
    digest: str
    verdicts: Mapping[str, str]


def load() -> dict[str, Parts]:
    if not STORE.exists():
        return {}
    stored = json.loads(STORE.read_text())
    return {
        module: {name: Part(part["digest"], part["verdicts"]) for name, part in parts.items()}
        for module, parts in stored.items()
    }


def save(record: Mapping[str, Parts]) -> None:
    plain = {
        module: {
            name: {"digest": part.digest, "verdicts": dict(part.verdicts)}
            for name, part in sorted(parts.items())
            if part.verdicts
        }
        for module, parts in sorted(record.items())
    }
    STORE.write_text(json.dumps(plain, indent=0, sort_keys=True, ensure_ascii=False) + "\n")


def counts(parts: Parts) -> Counter[str]:
    return Counter(verdict for part in parts.values() for verdict in part.verdicts.values())
