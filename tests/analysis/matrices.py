"""Antisymmetric matrices for the tests of the pictures."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], dtype=float)
# Bosansky et al. 2016, section 6.2.
BIASED = np.array([[0, -0.25, 0.5], [0.25, 0, -0.05], [-0.5, 0.05, 0]])
TRANSITIVE = np.array([[0, -1, -1], [1, 0, -1], [1, 1, 0]], dtype=float)
ROCK_TWICE = np.array([[0, 0, -1, 1], [0, 0, -1, 1], [1, 1, 0, -1], [-1, -1, 1, 0]], dtype=float)


def skill(count, seed=0):
    """A random game of skill (Czarnecki et al. 2020): noise and a rating, divided by the largest entry."""
    random = np.random.default_rng(seed)
    noise, ratings = random.normal(size=(count, count)), random.normal(size=count)
    matrix = (noise - noise.T) / 2 + ratings[:, np.newaxis] - ratings
    return matrix / np.abs(matrix).max()


@st.composite
def antisymmetric(draw, most=8):
    """Small antisymmetric matrices, with ties and duplicates as well as with generic entries."""
    count = draw(st.integers(1, most))
    entries = st.one_of(st.integers(-2, 2).map(float), st.floats(-1, 1, allow_subnormal=False))
    upper = np.triu(draw(arrays(float, (count, count), elements=entries)), 1)
    upper[np.abs(upper) < 1e-3] = 0.0  # between a tie and a win lies more than the accuracy of a linear program
    return upper - upper.T


def permuted(matrix, order):
    return matrix[np.ix_(order, order)]
