"""The nets and players of the five founding documents, a package for each."""
