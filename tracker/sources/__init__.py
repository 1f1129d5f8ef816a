"""One module per outside source; each reads its official format into the store's columns."""
