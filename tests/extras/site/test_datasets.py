"""The description of a slate for machines stands within a page, whatever its texts have."""

import json

import pytest

from tracker.extras.site import datasets


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "<!-- x", "a \u2028 b & c"])
def test_no_text_ends_the_element_that_it_stands_in(name: str) -> None:
    text = datasets.of_slate(name, "About it", "0" * 64, "2025-01-01", [("a.csv", "text/csv", "1")])
    assert "<" not in text
    described = json.loads(text)
    assert described["name"] == name
    assert described["distribution"] == [
        {
            "@type": "DataDownload",
            "contentUrl": "a.csv",
            "encodingFormat": "text/csv",
            "sha256": "1",
        }
    ]
