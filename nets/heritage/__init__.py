"""The nets and players of the five founding documents, a package for each.

Nothing outside imports them, except through `nets.catalogue` and by the trainers in `tools.heritage`.
"""
