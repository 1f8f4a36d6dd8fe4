"""What a meta-strategy and its policies are worth: exploitability, gaps, champions, behaviour, admission."""
