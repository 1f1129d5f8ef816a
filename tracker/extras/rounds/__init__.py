"""Rounds: one question to many teams, a deadline, and a board that judges all alike."""
