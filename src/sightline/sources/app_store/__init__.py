"""The public app store: its search, the published ratings of apps, and their newest reviews."""
