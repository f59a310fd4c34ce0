"""What texts say: sentences, rows, numbers, dates, statements. Pure."""
