import pytest

from csro_core.evaluation.published import published_bots, published_cross_table, published_rows


def test_rows_name_their_source_and_say_where_it_is_secondary():
    rows = [*published_rows("rrps"), *published_rows("leduc")]
    assert len(rows) == 14
    assert all(row.source for row in rows)
    by_name = {(row.benchmark, row.method): row for row in rows}
    assert by_name["leduc", "AlphaEvolve"].secondary
    assert by_name["leduc", "AlphaEvolve"].agg_score == 44.9
    assert not by_name["rrps", "greenberg"].secondary
    assert published_rows("chess") == ()


def test_bots_and_cross_table_agree():
    """The scores of a bot follow from its row: PopReturn is its mean, WithinPopExpl its largest loss."""
    table = published_cross_table()
    assert len(table.bots) == len(table.means) == 43
    bots = {row.method: row for row in published_bots()}
    assert set(bots) == set(table.bots)
    for name, row in zip(table.bots, table.means, strict=True):
        assert bots[name].pop_return == pytest.approx(sum(row) / 43, abs=0.6)
        assert bots[name].agg_score == pytest.approx(bots[name].pop_return - bots[name].pop_expl, abs=0.002)
    # arXiv 2303.03196, Table 1.
    assert (bots["greenberg"].agg_score, bots["iocainebot"].agg_score) == (284.505, 249.997)
