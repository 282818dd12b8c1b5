"""Small changes to the contract, of the kinds that a person makes by mistake. They are made on its syntax tree."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from textwrap import dedent
from typing import NamedTuple

from vyper import ast

# Every member of a row may become every other one.
OPERATORS = (
    ("==", "!=", "<", "<=", ">", ">="),
    ("and", "or"),
    ("&", "|", "^"),
    ("<<", ">>"),
    ("+", "-", "*", "//", "%"),
    ("**", "*"),
    (">>=", "<<=", "="),
    ("|=", "^=", "&=", "="),
)
NAMES = (
    ("IN_PROGRESS", "X_WON", "O_WON", "DRAW", "X_FORFEITS", "O_FORFEITS"),
    ("NEXT_AT", "STATUS_AT", "PLAYER_X_AT", "NUMBER_AT"),
    ("DIGIT_MASK", "STATUS_MASK", "ADDRESS_MASK", "BELOW_NUMBER_MASK"),
    ("PLAYING", "X_TO_MOVE", "ONE_MOVE", "STATUS_MASK", "ONES", "LINE_SUMS", "LINE_ENDS"),
    ("word", "moveNumber", "nextMove", "place", "cell", "cells", "marks", "status", "gameId"),
    ("row", "col"),
    ("playerX", "playerO", "self.playerO", "msg.sender", "tx.origin", "empty(address)"),
    ("player.codesize", "player.balance", "msg.sender.codesize"),
    ("unsafe_add", "unsafe_sub", "unsafe_mul"),
    ("uint8", "uint16", "uint256"),
)
UNCHECKED = {"+": "unsafe_add", "-": "unsafe_sub", "*": "unsafe_mul"}
# The order of their two arguments makes no difference.
SYMMETRIC = ("unsafe_add", "unsafe_mul")


@dataclass(frozen=True)
class Mutant:
    """One change: its part of the contract, its line, the lines before and after it, and the whole changed source.

    Part and lines together are unique.
    """

    part: str
    line: int
    was: str
    becomes: str
    source: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.part, self.was, self.becomes

    def __str__(self) -> str:
        return f"{self.part}, line {self.line}: `{self.was}` becomes `{self.becomes}`"


class Edit(NamedTuple):
    """`new` replaces the source from `start` to `end`."""

    start: int
    end: int
    new: str


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant once, in the order of the source. Some do not compile."""
    lines = source.split("\n")
    parts = parts_of(source)
    seen = {source}
    for edit in sorted(Tree(source).edits(), key=lambda edit: edit.start):
        changed = source[: edit.start] + edit.new + source[edit.end :]
        if changed not in seen:
            seen.add(changed)
            at, was, becomes = difference(lines, changed.split("\n"))
            part = max((start, name) for start, name in parts if start <= at + 1)[1]
            yield Mutant(part, at + 1, was, becomes, changed)


def difference(before: list[str], after: list[str]) -> tuple[int, str, str]:
    """The index of the first line that differs, and the lines from there to the last that differs, before and after.

    Lines above are added if a line was only added or removed, or if the same lines occur elsewhere.
    """
    head = next(i for i, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    tail, most = 0, min(len(before), len(after)) - head
    while tail < most and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    if tail == most:
        head -= 1
    end = len(before) - tail
    while occurrences(before, before[head:end]) > 1:
        head -= 1
    was, becomes = before[head:end], after[head : len(after) - tail]
    return head, dedent("\n".join(was)), dedent("\n".join(becomes))


def occurrences(lines: list[str], some: list[str]) -> int:
    """How often some lines occur one after the other, at any indentation."""
    bare, wanted = [line.strip() for line in lines], [line.strip() for line in some]
    return sum(bare[at : at + len(some)] == wanted for at in range(len(lines)))


def parts_of(source: str) -> list[tuple[int, str]]:
    """The first line and the name of each top-level definition."""
    found = [(1, "the head")]
    for node in ast.parse_to_ast(source).body:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        found.append((first, getattr(node, "name", None) or node.target.id))
    return found


class Tree:
    """The contract's syntax tree, with the text of each of its nodes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.begins = [0, *(found.end() for found in re.finditer("\n", source))]
        self.module = ast.parse_to_ast(source)

    def start(self, node: ast.VyperNode) -> int:
        return int(self.begins[node.lineno - 1] + node.col_offset)

    def end(self, node: ast.VyperNode) -> int:
        if isinstance(node, ast.Name):  # the compiler's own figure is wrong for one that follows `log`
            return self.start(node) + len(node.id)
        return int(self.begins[node.end_lineno - 1] + node.end_col_offset)

    def text(self, node: ast.VyperNode) -> str:
        return self.source[self.start(node) : self.end(node)]

    def instead(self, node: ast.VyperNode, new: str) -> Edit:
        return Edit(self.start(node), self.end(node), new)

    def edits(self) -> Iterator[Edit]:
        """Every change, some of them more than once."""
        yield from self.storage()
        for node in self.module.get_descendants():
            match node:
                case ast.Compare():
                    yield from self.operators(node.left, node.right)
                case ast.BoolOp():
                    yield from self.operation(node, node.values)
                case ast.BinOp():
                    yield from self.operation(node, [node.left, node.right])
                    yield from self.unchecked(node)
                case ast.UnaryOp():
                    yield self.instead(node, self.text(node.operand))
                case ast.AugAssign():
                    yield from self.operators(node.target, node.value)
                case ast.Int():
                    yield from self.number(node)
                case ast.Hex():
                    for other in ("0xef0101", "0xef0000", "0x000000"):
                        yield self.instead(node, other)
                case ast.Call():
                    yield from self.call(node)
                    yield from self.names(node)
                case ast.Name() | ast.Attribute():
                    yield from self.names(node)
                case ast.If():
                    yield from self.condition(node)
                    yield from self.block(node.body)
                    yield from self.block(node.orelse)
                case ast.IfExp():
                    yield from self.choice(node)
                case ast.EventDef() | ast.StructDef():
                    yield from self.fields(node)
                case ast.FunctionDef():
                    yield from self.function(node)
                    yield from self.block(node.body)
                case ast.For():
                    yield from self.block(node.body)
                    for statement in node.body:
                        yield from self.left_early(statement)

    # -- expressions -----------------------------------------------------------

    def operators(self, left: ast.VyperNode, right: ast.VyperNode) -> Iterator[Edit]:
        """Another operator between two operands. Brackets and comments are left as they are."""
        start, end = self.end(left), self.start(right)
        between = re.sub(r"#.*", lambda comment: " " * len(comment[0]), self.source[start:end])
        sign = between.strip(" ()\n")
        assert any(sign in family for family in OPERATORS), between
        at = start + between.index(sign)
        for family in OPERATORS:
            for other in family:
                if sign in family and other != sign:
                    yield Edit(at, at + len(sign), other)

    def operation(self, node: ast.BinOp | ast.BoolOp, operands: list[ast.ExprNode]) -> Iterator[Edit]:
        """Another operator, or one of the operands alone."""
        for left, right in pairwise(operands):
            yield from self.operators(left, right)
        for operand in operands:
            alone = self.text(operand)
            yield self.instead(node, f"({alone})" if " " in alone else alone)

    def unchecked(self, node: ast.BinOp) -> Iterator[Edit]:
        sign = self.source[self.end(node.left) : self.start(node.right)].strip(" ()")
        if sign in UNCHECKED and node.get_ancestor(ast.FunctionDef):
            yield self.instead(node, f"{UNCHECKED[sign]}({self.text(node.left)}, {self.text(node.right)})")

    def number(self, node: ast.Int) -> Iterator[Edit]:
        """One more, one less, 0 and 1."""
        for other in sorted({node.value + 1, abs(node.value - 1), 0, 1} - {node.value}):
            yield self.instead(node, str(other))

    def names(self, node: ast.VyperNode) -> Iterator[Edit]:
        """Another name of the same row, except where the name is declared."""
        declaration = node.get_ancestor((ast.AnnAssign, ast.VariableDecl))
        if isinstance(declaration, ast.AnnAssign | ast.VariableDecl) and declaration.target is node:
            return
        text = self.text(node)
        for family in NAMES:
            for other in family:
                if text in family and other != text:
                    yield self.instead(node, other)

    def choice(self, node: ast.IfExp) -> Iterator[Edit]:
        """One of the two values in both cases, or the values change places."""
        for value in (node.body, node.orelse):
            yield self.instead(node, self.text(value))
        yield from self.exchanged([node.body, node.orelse])

    def call(self, node: ast.Call) -> Iterator[Edit]:
        """Two arguments change places, a logged value is empty, or the reason is another."""
        if self.text(node.func) == "self._refuse":
            reason = node.args[0].value
            for other in ("", reason + ".", reason[:-1], reason.capitalize(), "not your turn"):
                yield self.instead(node.args[0], f'"{other}"')
        if self.text(node.func) not in SYMMETRIC:
            yield from self.exchanged(node.args)
        yield from self.exchanged([keyword.value for keyword in node.keywords])
        if isinstance(node.get_ancestor(), ast.Log):
            for keyword in node.keywords:
                yield self.instead(keyword.value, "0")
                yield self.instead(keyword.value, "empty(address)")

    def exchanged(self, nodes: Sequence[ast.VyperNode]) -> Iterator[Edit]:
        for one, two in combinations(nodes, 2):
            between = self.source[self.end(one) : self.start(two)]
            yield Edit(self.start(one), self.end(two), self.text(two) + between + self.text(one))

    # -- statements ------------------------------------------------------------

    def condition(self, node: ast.If) -> Iterator[Edit]:
        """Another condition."""
        test: ast.VyperNode = node.get("test")  # vyper's types leave it out
        for other in (f"not ({self.text(test)})", "True", "False"):
            yield self.instead(test, other)
        if self.text(node).startswith("elif"):
            yield Edit(self.start(node), self.start(node) + 4, "if")

    def block(self, statements: Sequence[ast.VyperNode]) -> Iterator[Edit]:
        """A statement is missing, or moves behind a later one if their order matters."""
        for i, one in enumerate(statements):
            if not self.text(one).startswith("elif"):
                yield self.instead(one, "pass")
            for last, other in enumerate(statements[i + 1 :], i + 1):
                if (refuses(one) and refuses(other)) or (last == i + 1 and self.depend(one, other)):
                    yield self.moved(statements[i : last + 1])

    def depend(self, one: ast.VyperNode, two: ast.VyperNode) -> bool:
        """Whether one of two statements sets what the other names, or both log an event."""
        (sets, names), (other_sets, other_names) = self.variables(one), self.variables(two)
        return bool(sets & other_names or other_sets & names) or (logs(one) and logs(two))

    def variables(self, statement: ast.VyperNode) -> tuple[set[str], set[str]]:
        """What a statement sets, and what it names."""
        nodes = statement.get_descendants(include_self=True)
        targets = [node.get("target") for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)]
        targets += [
            node.func for node in nodes if isinstance(node, ast.Call) and self.text(node.func).endswith(".append")
        ]
        sets = {re.sub(r"\[.*|\.append", "", self.text(target)) for target in targets}
        return sets, {self.text(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)}

    def moved(self, statements: Sequence[ast.VyperNode]) -> Edit:
        """The first statement moves behind the others. The text between statements, such as comments, stays."""
        texts = [self.text(statement) for statement in (*statements[1:], statements[0])]
        between = [self.source[self.end(one) : self.start(two)] for one, two in pairwise(statements)]
        new = "".join(text + gap for text, gap in zip(texts, [*between, ""], strict=True))
        return Edit(self.start(statements[0]), self.end(statements[-1]), new)

    def left_early(self, statement: ast.VyperNode) -> Iterator[Edit]:
        """A loop ends, or goes on with the next round, after one of its statements."""
        for word in ("break", "continue"):
            yield self.instead(statement, f"{self.text(statement)}\n{' ' * statement.col_offset}{word}")

    # -- declarations ----------------------------------------------------------

    def storage(self) -> Iterator[Edit]:
        """The variables change places, or one becomes public."""
        variables = [node for node in self.module.get_children(ast.VariableDecl) if not node.is_constant]
        yield from self.exchanged(variables)
        for variable in variables:
            yield self.instead(variable.annotation, f"public({self.text(variable.annotation)})")

    def fields(self, node: ast.EventDef | ast.StructDef) -> Iterator[Edit]:
        """The fields of an event or a struct: their order, their names, and which of them are topics."""
        yield from (edit for pair in pairwise(node.body) for edit in self.exchanged(list(pair)))
        for field in node.body:
            name, kind = self.text(field.target), self.text(field.annotation)
            yield self.instead(field, f"{name}s: {kind}")
            if kind.startswith("indexed"):
                yield self.instead(field.annotation, kind.removeprefix("indexed(").removesuffix(")"))
            elif isinstance(node, ast.EventDef):
                yield self.instead(field.annotation, f"indexed({kind})")

    def function(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """Who can call it, and with what."""
        yield from self.exchanged(node.args.args)
        for decorator in node.decorator_list:
            name = self.text(decorator)
            if name in ("external", "deploy"):
                yield self.instead(decorator, f"{name}\n@payable")
            if name == "external":
                yield self.instead(decorator, "internal")
            if name in ("view", "pure"):
                yield Edit(self.start(decorator) - 1, self.end(decorator) + 1, "")
        if node.name == "__init__":
            yield Edit(self.start(node.decorator_list[0]) - 1, self.end(node), "")


def refuses(statement: ast.VyperNode) -> bool:
    """Whether the statement calls a function of the contract. All but `_end` can refuse the transaction."""
    calls = [node.func for node in statement.get_descendants(ast.Call)]
    return any(isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self" for node in calls)


def logs(statement: ast.VyperNode) -> bool:
    return bool(statement.get_descendants(ast.Log, include_self=True))
