"""The floor of the benchmark: a bare app with one slider and one bar chart."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

tenths = st.slider("Temperature in tenths", 1, 100, 50)
scores = np.array([2.0, 1.0, 0.0])
weights = np.exp(scores / (tenths / 10))
st.plotly_chart(go.Figure(go.Bar(x=["k1", "k2", "k3"], y=weights / weights.sum())), key="bars")
