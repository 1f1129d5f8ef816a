"""Retrospective evaluation: scores and rankers compared with what is already known."""
