"""What defends against files that another program altered."""
