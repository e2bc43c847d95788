"""Games that are kept: tables in progress, finished matches with their analysis, players."""
