"""Reaching files beneath a folder and nowhere else."""
