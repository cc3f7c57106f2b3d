"""From a user's data to a result: `Rows` go in, a `Result` comes out."""
