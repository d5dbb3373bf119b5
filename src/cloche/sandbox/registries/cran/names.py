"""Names of popular CRAN packages, to detect misspelt ones, and of what R itself has."""

# fmt: off
POPULAR = frozenset((
    "abind", "backports", "broom", "caret", "cli", "cowplot", "data.table", "dbplyr", "dplyr", "forcats",
    "forecast", "furrr", "ggplot2", "ggrepel", "glmnet", "glue", "gridExtra", "gt", "Hmisc", "httr2", "igraph",
    "jsonlite", "knitr", "lme4", "lubridate", "magrittr", "MASS", "Matrix", "mgcv", "plotly", "plyr", "purrr",
    "R6", "randomForest", "Rcpp", "readr", "reshape2", "rlang", "rmarkdown", "scales", "shiny", "stringi",
    "stringr", "survival", "tibble", "tidyr", "tidyverse", "vctrs", "viridis", "xgboost", "xml2", "yaml", "zoo",
))

BASE = frozenset((
    "base", "compiler", "datasets", "graphics", "grDevices", "grid", "methods", "parallel", "R", "splines",
    "stats", "stats4", "tcltk", "tools", "utils", "webr",
))
"""Packages that R has itself."""
# fmt: on
