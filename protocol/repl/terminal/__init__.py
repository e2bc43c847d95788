"""The terminal itself: the prompt, answers in colours and page by page."""
