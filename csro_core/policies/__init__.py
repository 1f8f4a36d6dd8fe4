"""Policies as text: identity and inspection (`source`), and the ones that ship with the product (`library`)."""
