"""Pages to read: a report as HTML, Markdown and charts."""
