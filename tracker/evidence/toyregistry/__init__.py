"""A registry of studies that exists to show what adding one takes: a CSV file, a row a study."""
