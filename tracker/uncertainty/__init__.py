"""The uncertainty of figures: statistics, estimates stored with figures, and the scoreboard."""
