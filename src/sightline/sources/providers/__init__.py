"""Search providers of the web, each behind `sources.search.SearchProvider`."""
