"""From a lesson with evidence to a memory, an entry of the queue, or nothing; and back."""
