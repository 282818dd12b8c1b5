"""Three common clients play whole games on a node, and the documentation's listings with them."""
