"""The rules by which a sentence is held against what it cites; `bot.verify` asks them. Pure."""
