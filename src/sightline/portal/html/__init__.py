"""Templates, languages, Markdown and forms of the pages."""
