"""Methods that predict label sets in a study: the keys of ``chains``, and what they expand to."""
