"""What the web is told and shown: questions without a session, and the page."""
