"""What a call gives back."""
