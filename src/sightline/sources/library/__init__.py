"""The library: a folder of saved pages, feeds and archives, searched without any account.

Imports nothing: the process that reads files needs only some of it.
"""
