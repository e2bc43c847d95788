"""What each command does, split by idea; protocol.commands puts them into one table."""
