"""Accounts: names, passwords, the sessions of browsers, and who is kept from guessing."""
