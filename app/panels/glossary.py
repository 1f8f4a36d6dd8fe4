"""The words of the dashboard, one sentence each, and the sentence that opens each page."""

import streamlit as st

WORDS = {
    "policy": "A program that plays: what acts from what its player can see.",
    "population": "The list of policies that a player chooses from; it only grows.",
    "payoff": "Mean return of an episode to the row policy, in the game's unit.",
    "meta-game": "The game whose actions are policies; its payoffs are the matrix.",
    "sigma": "The mixture over the population that the meta-solver makes of the payoffs.",
    "meta-solver": "Turns the payoff matrix into sigma.",
    "oracle": "Looks for a best response: makes attempts and returns at most one finalist.",
    "model": "What turns a request into the text of a program.",
    "target": "What the oracle searches against: sigma, or sigma mixed with uniform (tau).",
    "gain": "What a finalist earns more than sigma against sigma, on fresh matches: a lower bound on exploitability.",
    "lift": "What a finalist earns more than the best member against the target, on the same fresh matches.",
    "admitted": "The gain (or the lift) is above z standard errors; z accounts for every look and test.",
    "gap": "The gain of the best policy known by now, also a later or a rejected one: with hindsight.",
    "exploitability": "NashConv divided by the number of players: what a best responder gains; 0 is an equilibrium.",
    "NashConv": "The sum over the players of what each could gain by its best response; here of the meta-game.",
    "champion": "The policy with the largest mean plus minimum payoff.",
    "episode": "One play of the game, from its start to its return.",
    "forfeit": "A policy that fails loses the rest of the episode by the game's rule; members that did have a ⚠.",
    "PopReturn": "Mean return over the opponents of a benchmark, each counting alike.",
    "PopExpl": "The mean loss to the benchmark's opponent that wins most, the nemesis; below 0 where all lose.",
    "AggScore": "PopReturn minus PopExpl: good on average, and nobody's victim.",
    "nemesis": "The opponent of a benchmark that wins most. Found in noise, it looks stronger than it is.",
    "leak": "What a policy gives away in one situation to the safest best responder; the leaks add up.",
    "±": "A 95 % interval; standard errors and counts are in the tooltips.",
}


def glossary() -> None:
    """Draws a button that opens all words."""
    with st.popover("What the words mean", icon=":material/menu_book:", type="tertiary"):
        _list(tuple(WORDS))


def page_sentence(sentence: str, *words: str) -> None:
    """Draws the sentence that explains a page, and a button that opens the terms it uses.

    Args:
        sentence: Markdown.
        words: keys of `WORDS`, the terms that the page needs.
    """
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="page_sentence"):
        st.caption(sentence, width="content")
        with st.popover("terms", type="tertiary", help=f"What these words mean: {', '.join(words)}"):
            _list(words)
            st.caption("The README has the same words under “How to read the numbers”.")


def _list(words: tuple[str, ...]) -> None:
    st.markdown("\n".join(f"- **{word}**: {WORDS[word]}" for word in words))
