"""The estimators: they check, call one solver and store what it found."""
