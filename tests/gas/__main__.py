"""`uv run python -m tests.gas`: measure the contract, the plain one and each choice, and write their tables."""

from tests.gas.measure import CONTRACT, PLAIN, measured
from tests.gas.report import choices_table, costs_tables, write

for name, table in (costs_tables(*measured(CONTRACT, PLAIN)) | {"choices": choices_table()}).items():
    write(name, table)
