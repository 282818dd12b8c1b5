"""A package, because some dependencies install one of this name, which would come first."""
