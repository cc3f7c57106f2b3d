"""The tables and figures of the paper, computed again beside the printed numbers.

Runs are data (`runs`): what is fitted (`fits`) on what (`problems`) is decided by the
tuning of each cell (`tuning`), done by one or several processes (`schedule`), and
read by tables (`tables`), figures (`figures`) and the page (`page`), none of which
fits anything.
"""
