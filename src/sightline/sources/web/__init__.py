"""The web as research reads it: public pages, fetched politely, read in a process of their own."""
