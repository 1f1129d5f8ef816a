"""What is known already: scores and rankers compared with it, and lists of past origins."""
