"""The frame of attnviz: the server, and the list of pages. Start it with ``streamlit run app.py``.

The server imports this file once, as a module; every run of a page executes it as a script.
"""

import streamlit as st

if __name__ == "__main__":
    # A file of our own: Streamlit's icons and emoji are fetched from another host.
    st.set_page_config("attnviz", page_icon="attnviz/ui/static/icon.png", layout="wide")
    PAGES = [
        st.Page("attnviz/pages/start.py", title="Start", default=True),
        st.Page("attnviz/pages/softmax.py", title="Softmax", url_path="softmax"),
        st.Page("attnviz/pages/attention.py", title="Attention", url_path="attention"),
        st.Page("attnviz/pages/numerics.py", title="Formats", url_path="numerics"),
        st.Page("attnviz/pages/scaling.py", title="Why √d_k", url_path="scaling"),
        st.Page("attnviz/pages/sampling.py", title="Sampling", url_path="sampling"),
        st.Page("attnviz/pages/lessons.py", title="Lessons", url_path="lessons"),
    ]
    st.navigation(PAGES, position="top").run()
else:
    from attnviz.ui.assets import MIDDLEWARE, ROUTES
    from attnviz.ui.failure import explain_failure

    app = st.App(__file__, routes=ROUTES, middleware=MIDDLEWARE, on_script_error=explain_failure)
