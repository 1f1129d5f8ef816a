"""Pages to read: what a report found, as HTML, Markdown and charts."""
