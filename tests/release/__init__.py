"""The build is reproducible, and a release can be compiled again by anybody from what it holds."""
