"""Parts of pages: each draws one panel from what it is given."""
