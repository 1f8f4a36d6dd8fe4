"""Playing matches: jobs and results as plain data (`jobs`), the referee, and the local pool that plays them."""
