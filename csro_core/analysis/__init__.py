"""The numbers behind the pictures of a meta-game: arrays in, arrays out."""
