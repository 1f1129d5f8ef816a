"""What the store computes once and keeps, and what a query about some slates reads."""
