"""`uv run python -m tests.gas`: measure the contract, the plain one and each choice, and write their tables."""

from tests.gas.measure import CONTRACT, PLAIN, measured
from tests.gas.report import FILES, choices_table, costs_tables, written

for name, table in (costs_tables(*measured(CONTRACT, PLAIN)) | {"choices": choices_table()}).items():
    start = f"<!-- {name} -->\n"
    FILES[name].write_text(FILES[name].read_text().replace(start + written(name), start + table))
