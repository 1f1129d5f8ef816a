"""The text of the feed; tests/extras/site/test_site.py has its entries."""

from tracker.extras.site import feed


def test_the_feed_has_no_character_that_xml_cannot_have() -> None:
    assert feed._fit("gout\ufffe and \uffff\x00 more") == "gout\ufffd and \ufffd\ufffd more"
