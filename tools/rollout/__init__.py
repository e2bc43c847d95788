"""`gammond rollout`: rollouts from the command line."""
