"""npm: packages for JavaScript and TypeScript."""
