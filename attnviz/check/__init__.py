"""A checker of a person's own file: ``python -m attnviz.check my_softmax.py``.

It runs on the person's own machine, each case in a fresh process with a time limit, and says for
every failure what came, what was expected and the likely reason. No page calls it, so a server
never executes a visitor's code.
"""
