"""The README's lines for `ape console`."""

import re

from tests.support.commands import APE, ROOT, run

README = (ROOT / "README.md").read_text()


def test_with_ape__prints_what_the_readme_says():
    (listing,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    done = run([str(APE), "console"], listing)
    printed = done.out + done.err
    expected = re.findall(r"  # (.+)$", listing, re.MULTILINE)
    assert len(expected) == 4
    assert [words for words in expected if words not in printed] == []
    assert printed.count("ERROR:    (") == 1
