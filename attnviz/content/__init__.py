"""What a person reads: presets and sentences. Typed data, no Streamlit and no Plotly."""
