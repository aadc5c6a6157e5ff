"""The page in a real Chromium: what only a browser can show."""
