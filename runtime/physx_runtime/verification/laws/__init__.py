"""What each class's values come to, by experiment."""
