"""The formats of a page: html and markdown."""

from tracker.reports.pages.page import Page


def render(page: Page, form: str) -> str:
    """Return a page as html or markdown; importing html takes longer than most commands."""
    if form == "markdown":
        from tracker.reports.pages import markdown

        return markdown.render(page)
    from tracker.reports.pages import html

    return html.render(page)
