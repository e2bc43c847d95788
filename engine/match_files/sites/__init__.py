"""The match files of game servers: FIBS, GamesGrid, TrueMoneyGames, GammonEmpire, PartyGammon."""
