"""What stands on the core, a folder each; the core imports none of them."""
