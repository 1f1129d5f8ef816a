"""The uncertainty of figures: statistics, estimates of stored figures, the scoreboard."""
