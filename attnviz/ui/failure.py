"""What a visitor sees when the program itself fails: a sentence, never a traceback."""

import streamlit as st


def explain_failure(error: Exception) -> bool:
    """Say that something failed; the server's log has the traceback.

    Parameters
    ----------
    error : Exception

    Returns
    -------
    bool
        True: Streamlit shows nothing of its own.
    """
    st.error(
        "Something went wrong in attnviz itself. Your numbers are in the page's address: reload"
        " the page, or go back one step."
    )
    return True
