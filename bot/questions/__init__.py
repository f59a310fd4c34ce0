"""What questions say: what is asked for, of whom, and what it leans on. Pure."""
