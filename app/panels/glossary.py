"""The words of the dashboard, one sentence each."""

import streamlit as st

WORDS = {
    "policy": "A program that plays: what acts from what its player can see.",
    "population": "The list of policies that a player chooses from; it only grows.",
    "meta-game": "The game whose actions are policies; its payoffs are the matrix.",
    "sigma": "The mixture over the population that the meta-solver makes of the payoffs.",
    "meta-solver": "Turns the payoff matrix into sigma.",
    "oracle": "Looks for a best response: makes attempts and returns at most one finalist.",
    "model": "What turns a request into the text of a program.",
    "target": "What the oracle searches against: sigma, or sigma mixed with uniform.",
    "gain": "What a finalist earns more than sigma against sigma, on fresh matches: a lower bound on exploitability.",
    "lift": "What a finalist earns more than the best member against the target, on the same fresh matches.",
    "gap": "The gain of the best policy known by now, also a later or a rejected one: with hindsight.",
    "exploitability": "NashConv divided by the number of players: what a best responder gains; 0 is an equilibrium.",
    "NashConv": "The sum over the players of what each could gain by its best response; here of the meta-game.",
    "champion": "The policy with the largest mean plus minimum payoff.",
    "±": "A 95 % interval; standard errors are in the tooltips.",
}


def glossary() -> None:
    """Draws a button that opens the words."""
    with st.popover("What the words mean", icon=":material/menu_book:", type="tertiary"):
        st.markdown("\n".join(f"- **{word}**: {meaning}" for word, meaning in WORDS.items()))
