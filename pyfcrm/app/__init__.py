"""The studio: a page on this machine that shows what protecting does, while it runs (the extra `app`)."""
