"""Where research finds pages: search providers and page readers behind two protocols. Knows no database, no rooms."""
