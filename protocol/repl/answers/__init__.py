"""How answers read: sentences, tables, colours."""
