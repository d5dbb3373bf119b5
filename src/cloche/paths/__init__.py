"""Opens files below a folder and nowhere else."""
