cat("Hello from", R.version.string, "\n")
