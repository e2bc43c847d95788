"""The nets and players of the five founding documents, a package for each.

`nets.catalogue` finds their players by name; their trainers are in `tools.heritage`.
"""
