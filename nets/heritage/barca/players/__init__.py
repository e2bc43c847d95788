"""Player kinds of this document, a module each with a ``KIND``, as in `nets.players`."""
