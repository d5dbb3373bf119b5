"""What can be read from an action: facts without a judgement."""
