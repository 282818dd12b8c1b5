"""The build: the same bytes everywhere, from the packages that this repository names."""
