"""How sure figures are: statistics, estimates of stored figures, the scoreboard."""
