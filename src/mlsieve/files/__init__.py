"""Files: written whole or not at all, arrays with a checksum inside, YAML."""
