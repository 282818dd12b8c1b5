"""The documentation's listings and three common clients play whole games on a node and read every reason."""
