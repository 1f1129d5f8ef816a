"""The registration platform of the World Health Organization, ICTRP: the registries together."""
