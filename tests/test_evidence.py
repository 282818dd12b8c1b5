"""The README's table of evidence says what this run showed."""

from tests.evidence import Evidence


def test_evidence__of_this_run__is_what_the_readme_says(session_evidence: Evidence) -> None:
    differences = session_evidence.differences()
    assert not differences, "\n".join([*differences, "`uv run ape test --write-evidence` rewrites the table"])
