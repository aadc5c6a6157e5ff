"""Pictures: arrays and already formatted texts in, ``plotly.graph_objects.Figure`` out."""
