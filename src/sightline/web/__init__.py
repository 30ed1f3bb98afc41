"""Pages of HTML: templates, languages, forms, Markdown, static files. The rooms with pages share it."""
