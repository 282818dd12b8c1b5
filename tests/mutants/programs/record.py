"""The verdicts on all changes, as the command stores them, and the figures that follow from them."""

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.programs.reasons import REASONS

ROOT = Path(__file__).parents[3]
STORE = Path(__file__).with_name("verdicts.json")
PAGE = ROOT / "docs" / "program-mutants.md"

NOTICED, ENDLESS, UNNOTICED, NOT_JUDGED = "noticed", "endless", "unnoticed", "not judged"

# The modules, and the tests that judge each.
MODULES: dict[str, tuple[str, ...]] = {
    "events": ("events",),
    "follower": ("follower", "events"),
    "replay": ("replay",),
    "logs": ("logs", "follower"),
    "trail": ("trail", "follower"),
    "game": ("game",),
    "changes": ("changes",),
    "table": ("table",),
    "sending": ("sending",),
    "tracking": ("tracking", "sending"),
    "preparing": ("preparing",),
    "spending": ("spending",),
    "node": ("node", "table"),
    "terminal.session": ("session",),
}

TEXT = """# Mutants of the library

Written by `uv run --with mutmut==3.8.1 python -m tests.mutants.programs`. It makes every change that
[`changes.py`](../tests/mutants/programs/changes.py) knows to these modules of `tictactoe`, and runs the module's tests
in `tests/library` on it. The verdicts are in
[`verdicts.json`](../tests/mutants/programs/verdicts.json). A test counts them again, and fails when more than a tenth
of them are about code that has changed since.

| module | changes | noticed | not noticed | not judged |
| --- | --: | --: | --: | --: |
{rows}

What is not noticed:

| where | change | why |
| --- | --- | --- |
{survivors}
"""


@dataclass(frozen=True)
class Part:
    """A function or a class as it was when it was judged, and the verdict on each change."""

    digest: str
    verdicts: dict[str, str]


Parts = dict[str, Part]


def load() -> dict[str, Parts]:
    stored = json.loads(STORE.read_text()) if STORE.exists() else {}
    return {
        module: {name: Part(part["digest"], part["verdicts"]) for name, part in parts.items()}
        for module, parts in stored.items()
    }


def save(record: Mapping[str, Parts]) -> None:
    plain = {
        module: {name: {"digest": part.digest, "verdicts": part.verdicts} for name, part in parts.items()}
        for module, parts in record.items()
    }
    STORE.write_text(json.dumps(plain, indent=0, sort_keys=True, ensure_ascii=False) + "\n")


def digests(source: str) -> dict[str, str]:
    """A mark of what each function, method, class and the rest of a module does, without comments and docstrings."""
    return {name: digest for name, (_, digest) in parts(source).items()}


def parts(source: str) -> dict[str, tuple[int, str]]:
    """The same with the first line of each."""
    found: dict[str, tuple[int, str]] = {}

    def visit(body: list[ast.stmt], prefix: str) -> list[ast.stmt]:
        """The statements that are not parts themselves."""
        rest = []
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                if isinstance(node, ast.ClassDef):
                    node.body = visit(node.body, f"{node.name}.")
                found[prefix + node.name] = (first, _mark([node]))
            else:
                rest.append(node)
        return rest

    found[""] = (1, _mark(visit(ast.parse(source).body, "")))
    return found


def _mark(nodes: list[ast.stmt]) -> str:
    code = [WithoutDocstrings().visit(node) for node in nodes]
    return hashlib.sha256("".join(ast.dump(node) for node in code if node).encode()).hexdigest()[:12]


class WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node


# -- figures -------------------------------------------------------------------------------


def counts(parts: Parts) -> Counter[str]:
    found = Counter(verdict for part in parts.values() for verdict in part.verdicts.values())
    found[NOTICED] += found.pop(ENDLESS, 0)  # tests that do not end fail
    return found


def survivors(module: str, parts: Parts) -> list[tuple[str, str]]:
    """What is not noticed: the part and the change."""
    return [
        (f"{module}.{name}".rstrip("."), change)
        for name, part in sorted(parts.items())
        for change, verdict in sorted(part.verdicts.items())
        if verdict == UNNOTICED
    ]


def reason(where: str, change: str) -> str:
    return REASONS.get((where, change.split(": ", 1)[1]), "")


def summary(module: str, parts: Parts) -> list[str]:
    found = counts(parts)
    judged = found.total() - found[NOT_JUDGED]
    left = [f"    {where} +{change}" for where, change in survivors(module, parts) if not reason(where, change)]
    return [f"{module}: {found[NOTICED]:,} of {judged:,} noticed, {found[NOT_JUDGED]:,} not judged", *left]


def page(record: Mapping[str, Parts]) -> str:
    rows, total = [], Counter[str]()
    for module in MODULES:
        found = counts(record.get(module, {}))
        total += found
        rows.append(_row(f"`{module}`", *_figures(found)))
    rows.append(_row("all", *_figures(total)))
    left = [each for module in MODULES for each in survivors(module, record.get(module, {}))]
    lines = [_row(f"`{where}`", f"`{change}`", reason(where, change) or "no test yet") for where, change in left]
    return TEXT.format(rows="\n".join(rows), survivors="\n".join(lines))


def _figures(found: Counter[str]) -> list[str]:
    return [f"{found.total():,}", *(f"{found[each]:,}" for each in (NOTICED, UNNOTICED, NOT_JUDGED))]


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
