"""The tables and figures of the paper, computed again beside the printed numbers.

A target (`targets`) is a table or figure. Its cells (`tuning`) need runs (`runs`): fits
of a method at a point of its grid (`methods`) to benchmark data (`data`). Tables
(`entries`, `paper_tables`, `formats`), figures (`figures`) and the page (`index_page`)
read finished runs and the paper's numbers (`printed`), and fit nothing.
"""
