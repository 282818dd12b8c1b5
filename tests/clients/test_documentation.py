"""What a developer reads is what the tests played with."""

import re
from pathlib import Path

from tests.clients.test_clients import TOLD

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "README.md").read_text()


def test_listings__in_the_documentation__are_the_snippets_that_were_run() -> None:
    listings = re.findall(r"<!-- (docs/snippets/\S+) -->\n```\w+\n(.*?)```\n<!-- end -->", PAGE, re.DOTALL)
    assert {path for path, _ in listings} == {
        str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "snippets").iterdir() if path.is_file()
    }
    for path, listing in listings:
        assert listing == (ROOT / path).read_text(), f"README.md has another text than {path}"


def test_refusals__in_the_documentation__read_as_the_clients_tell_them() -> None:
    for wording in TOLD.values():
        for line in wording.format(name="makeMove", reason="not your turn").splitlines():
            assert f"`{line}`" in PAGE
