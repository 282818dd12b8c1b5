"""
Every small change to a module, as mutmut's operators make it, and two kinds of our own.

mutmut was chosen over cosmic-ray after a try of both: it also takes arguments, assignments, strings and cases away,
where cosmic-ray mostly exchanges operators, eleven for each. But only its operators are used. Its runner leaves out
constants, defaults of fields and all decorated functions, so all properties, and it wants a copy of the project.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

from tests.mutants.mutate import difference
from tests.mutants.programs.record import parts


@dataclass(frozen=True)
class Change:
    """`part` is the function or class that it is in. Part and text together are unique."""

    part: str
    text: str  # the changed lines, as they read now
    source: str  # of the whole module


def negated(test: cst.BaseExpression) -> cst.UnaryOperation:
    return cst.UnaryOperation(cst.Not(), test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


def other_condition(node: cst.If | cst.CompIf) -> Iterator[cst.CSTNode]:
    yield node.with_changes(test=negated(node.test))


def no_statement(node: cst.SimpleStatementLine) -> Iterator[cst.CSTNode]:
    """A call, a `raise` or a `return` goes."""
    match node.body[0]:
        case cst.Expr(value=cst.Call() | cst.Yield()) | cst.Raise() | cst.Return():
            yield node.with_changes(body=[cst.Pass()])


OPERATORS = [*mutation_operators, ((cst.If, cst.CompIf), other_condition), (cst.SimpleStatementLine, no_statement)]


class Visitor(MutationVisitor):
    """mutmut's, which leaves out types. This one visits decorated functions too."""

    METADATA_DEPENDENCIES = (*MutationVisitor.METADATA_DEPENDENCIES, PositionProvider)

    def __init__(self) -> None:
        super().__init__(OPERATORS, IgnoredCode(set(), set(), set()))
        self.types: set[cst.CSTNode] = set()

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.FunctionDef():
                return False
            case cst.If(test=cst.Name("TYPE_CHECKING")) | cst.ImportFrom() | cst.Import():
                return True
            case cst.Call(func=cst.Name("cast" | "TypeVar")):
                self.types |= {node, node.args[0].value}
        return (node in self.types and not isinstance(node, cst.Call)) or super()._skip_node_and_children(node)

    def _should_mutate_node(self, node: cst.CSTNode) -> bool:
        return node not in self.types and super()._should_mutate_node(node)


def changes(source: str) -> list[Change]:
    """Every change once, in the order of the source."""
    wrapper = MetadataWrapper(cst.parse_module(source))
    visitor = Visitor()
    module = wrapper.visit(visitor)
    lines, starts = source.split("\n"), parts(source)
    found: dict[str, Change] = {}
    for mutation in visitor.mutations:
        changed = module.deep_replace(mutation.original_node, mutation.mutated_node).code
        if changed != source and changed not in found:
            at, was, becomes = difference(lines, changed.split("\n"))
            part = max((start, name) for name, (start, _) in starts.items() if start <= at + 1)[1]
            text = (
                shown(becomes) if becomes.count("\n") == was.count("\n") else f"{shown(was)} becomes {shown(becomes)}"
            )
            found[changed] = Change(part, f"{at + 1 - starts[part][0]}: {text}", changed)
    return list(found.values())


def shown(lines: str) -> str:
    return " ".join(line.strip() for line in lines.split("\n"))
