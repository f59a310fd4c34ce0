"""The command line: one file a command; `python -m bot` alone runs the Slack app."""
