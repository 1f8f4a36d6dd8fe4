"""The words of the dashboard on the page: all of them behind a button, and those of a page beside its sentence."""

from collections.abc import Callable, Mapping

import streamlit as st

from app.formats import plain, short
from app.words import WORDS, found

_LONGEST_SHOWN = 40


def glossary() -> None:
    """Draws a button that opens all words."""
    with st.popover("What the words mean", icon=":material/menu_book:", type="tertiary", key="glossary"):
        _searched()


@st.fragment
def _searched() -> None:
    """The words that hold what is typed; a fragment, so that the page behind it is not drawn again."""
    wanted = st.text_input("Search the glossary", key="glossary_search", placeholder="a word, such as gain")
    subjects = found(wanted)
    if not subjects:
        st.caption(f"No word of the glossary holds “{plain(short(wanted.strip(), _LONGEST_SHOWN))}”.")
    for subject, words in subjects.items():
        st.html(f'<p class="csro-panel-title">{subject}</p>')
        _list(words)


def page_sentence(sentence: str, *words: str, link: Callable[[], None] | None = None) -> None:
    """Draws the sentence that explains a page, and a button that opens the terms it uses.

    Args:
        sentence: Markdown.
        words: keys of `WORDS`, the terms that the page needs.
        link: draws the button of the page's link, None where there is none.
    """
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="page_sentence"):
        st.caption(sentence, width="content")
        with st.popover("terms", type="tertiary", help=f"What these words mean: {', '.join(words)}"):
            _list({word: WORDS[word] for word in words})
            st.caption("The README has the same words under “How to read the numbers”.")
        if link is not None:
            link()


def _list(words: Mapping[str, str]) -> None:
    st.markdown("\n".join(f"- **{word}**: {text}" for word, text in words.items()))
