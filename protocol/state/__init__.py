"""What a client has (session, settings, offers) and what clients share (service, players, rollouts)."""
