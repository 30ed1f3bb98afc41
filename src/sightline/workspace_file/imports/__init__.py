"""What an import reads: encodings and delimiters, headers, maps of columns, exports of other tools."""
