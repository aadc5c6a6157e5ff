"""The Streamlit helpers: the form that joins widgets, links and state, and the page's own parts."""
