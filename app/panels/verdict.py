"""What a check or a score of an edited policy came to, in sentences."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.charts import plus_minus
from app.formats import DUST, interval, number, plain, safe, short
from app.match_charts import versus_figure
from app.snapshot import Snapshot
from csro_core.estimates import Estimate
from csro_core.store.records import SolutionRecord

_LONGEST_LINE = 500

MOST_EPISODES = 256
"""Episodes a cell that "play more" may ask for."""


def checked(result: Mapping[str, Any]) -> None:
    """Says what the static check found."""
    if result.get("ok"):
        st.success(f"It passes the check ({int(result.get('lines', 0))} lines).", icon=":material/check:")
    else:
        _problems(result)


def scored(snapshot: Snapshot, result: Mapping[str, Any], episodes: int) -> int:
    """Says how an edit does; returns the episodes a cell that "play more" wants, 0 where it was not pressed."""
    if result.get("problems"):
        _problems(result)
    if "versus_sigma" not in result:
        return 0
    unit = snapshot.game.unit
    st.html(f'<div class="csro-verdict">{sentence(result)}</div><div class="csro-note">{safe(unit)}</div>')
    more = 0
    wants = result.get("verdict") == "cannot tell yet" and result.get("versus_parent") and not _plays_alike(result)
    if wants and 0 < 2 * episodes <= MOST_EPISODES:
        if st.button(f"Play more ({2 * episodes} episodes a cell)", key="play_more", icon=":material/more_time:"):
            more = 2 * episodes
    preview = result.get("sigma_if_added") or {}
    if isinstance(preview, Mapping) and "weight" in preview:
        st.html(f'<div class="csro-verdict">{preview_sentence(float(preview["weight"]))}</div>')
    if result.get("forfeits"):
        st.warning(f"It forfeited {int(result['forfeits'])} episodes.", icon=":material/warning:")
    _failures(result)
    return more


def sentence(result: Mapping[str, Any]) -> str:
    """Returns the verdict as HTML: "edit − parent against sigma: +14 ± 6 (95 %, paired): better"."""
    own = estimate(result["versus_sigma"])
    alone = f'<span title="{_tip(own)}">against sigma: <b>{safe(interval(own))}</b></span>'
    if not result.get("versus_parent"):
        return alone
    if _plays_alike(result):
        return f"the edit earns <b>exactly what its parent does</b> in every episode against sigma<br>the edit {alone}"
    difference = estimate(result["versus_parent"])
    return (
        f'<span title="{_tip(difference)}">edit − parent against sigma: <b>{safe(interval(difference))}</b> '
        f"(95 %, paired): <b>{safe(str(result.get('verdict', '')))}</b></span><br>the edit {alone}"
    )


def _plays_alike(result: Mapping[str, Any]) -> bool:
    """Returns whether edit and parent earned the same in every single episode."""
    difference = estimate(result["versus_parent"])
    return abs(difference.mean) < DUST and difference.stderr < DUST


def _tip(value: Estimate) -> str:
    return safe(plus_minus(value.mean, value.half_width, value.episodes).replace("<br>", ", "))


def preview_sentence(share: float) -> str:
    """Returns what adding it would do to sigma."""
    if share < 0.005:
        return "if added, sigma gives it <b>nothing</b>: others do at least as well against this population"
    return f"if added, sigma gives it <b>{share:.2f}</b>"


def estimate(data: Mapping[str, Any]) -> Estimate:
    """Reads {mean, stderr, episodes}; a missing error is unknown."""
    stderr = data.get("stderr")
    mean = data.get("mean")
    return Estimate(
        float("nan") if mean is None else float(mean),
        float("nan") if stderr is None else float(stderr),
        int(data.get("episodes") or 0),
    )


def _problems(result: Mapping[str, Any]) -> None:
    lines = [_with_line(problem) for problem in result.get("problems", [])[:8]]
    found = len(result.get("problems", []))
    if found > len(lines):
        lines.append(f"and {found - len(lines)} more")
    text = "\n\n".join(plain(short(line, _LONGEST_LINE)) for line in lines)
    st.error(f"It may not run:\n\n{text}", icon=":material/error:")


def _with_line(problem: Mapping[str, Any]) -> str:
    place = f"line {int(problem['line'])}: " if problem.get("line") else ""
    return f"{place}{problem.get('message', '')}"


def _failures(result: Mapping[str, Any]) -> None:
    failures = result.get("failures") or []
    for failure in failures[:5]:
        st.warning(plain(short(f"{failure.get('status', 'failed')}: {_with_line(failure)}", _LONGEST_LINE)))


def bars(snapshot: Snapshot, solution: SolutionRecord | None, result: Mapping[str, Any]) -> None:
    """Draws what the edit earns against each opponent."""
    payoffs = sorted(result.get("payoffs", []), key=lambda payoff: -(payoff.get("mean") or 0.0))
    if not payoffs:
        return
    weights = {
        member.policy.hash: float(share)
        for player in (1, 0)
        for member, share in zip(snapshot.population(player), snapshot.sigma(solution, player), strict=True)
    }
    st.plotly_chart(
        versus_figure(
            [str(payoff["opponent"]) for payoff in payoffs],
            [estimate(payoff) for payoff in payoffs],
            [weights.get(str(payoff.get("hash")), 0.0) for payoff in payoffs],
            snapshot.game.unit,
        ),
        key="edit_bars",
        config={"displayModeBar": False},
        alt=f"Bars with 95 % intervals: payoffs of the edit against {len(payoffs)} opponents, from "
        f"{number(estimate(payoffs[0]).mean)} down to {number(estimate(payoffs[-1]).mean)}",
    )
