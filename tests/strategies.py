"""Hypothesis strategies shared by property tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

ENTRIES = st.one_of(
    st.integers(-3, 3).map(float),  # ties and duplicates
    st.floats(-10, 10, allow_nan=False, allow_infinity=False).map(lambda number: round(number, 3)),
)


@st.composite
def zero_sum_payoffs(draw, max_size=6):
    """`[2, N_0, N_1]` payoffs of a zero-sum game."""
    shape = draw(st.tuples(st.integers(1, max_size), st.integers(1, max_size)))
    matrix = draw(arrays(np.float64, shape, elements=ENTRIES))
    return np.stack([matrix, -matrix])


@st.composite
def antisymmetric_payoffs(draw, max_size=6):
    """`[2, N, N]` payoffs of a symmetric zero-sum game."""
    size = draw(st.integers(1, max_size))
    half = np.triu(draw(arrays(np.float64, (size, size), elements=ENTRIES)), 1)
    matrix = half - half.T
    return np.stack([matrix, -matrix])


@st.composite
def general_sum_payoffs(draw, max_size=5, square=False):
    """`[2, N_0, N_1]` payoffs whose players need not be opponents; N_0 = N_1 where square."""
    rows = draw(st.integers(1, max_size))
    shape = (rows, rows if square else draw(st.integers(1, max_size)))
    return np.stack([draw(arrays(np.float64, shape, elements=ENTRIES)) for _ in range(2)])


@st.composite
def stderr_of(draw, payoffs, symmetric):
    """Standard errors that fit payoffs: not negative, the same for both players, 0 on the diagonal if symmetric."""
    errors = draw(arrays(np.float64, payoffs.shape[1:], elements=st.sampled_from([0.0, 0.1, 0.5, 2.0])))
    if symmetric:
        errors = np.triu(errors, 1)
        errors = errors + errors.T
    return np.stack([errors, errors])


@st.composite
def distributions(draw, size):
    """A strategy over `size` policies."""
    weights = draw(arrays(np.float64, size, elements=st.floats(0.01, 1.0)))
    return weights / weights.sum()
