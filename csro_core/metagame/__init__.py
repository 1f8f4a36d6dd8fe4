"""The meta-game: populations, payoff cells, how missing cells are played, and the statistics of mixtures."""
