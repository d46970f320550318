"""Numbers that papers print, looked up in a study's tables and compared."""
