# Plots of a cell: pages of one device, each shown when the cell has ended.

state$device <- 0L

plotting <- function() {
  size <- function(name, usual, most) {
    value <- getOption(name, usual)
    if (is.numeric(value) && length(value) == 1L && !is.na(value)) min(max(value, 1), most) else usual
  }
  state$plots <- file.path(tempdir(), "cloche-plots")
  dir.create(state$plots, FALSE)
  grDevices::png(
    file.path(state$plots, "%04d.png"), size("cloche.plot.width", 7, 40), size("cloche.plot.height", 5, 40),
    units = "in", res = size("cloche.plot.res", 96, 300), type = "cairo"
  )
  state$device <- grDevices::dev.cur()
}

# Called after each cell.
plotted <- function() {
  if (is.null(state$plots)) return(NULL)
  if (state$device %in% grDevices::dev.list() && identical(names(state$device), "png")) grDevices::dev.off(state$device)
  state$device <- 0L
  for (file in utils::head(list.files(state$plots, full.names = TRUE), 50L)) {
    ask("image", readBin(file, "raw", file.size(file)))
  }
  unlink(state$plots, recursive = TRUE)
  state$plots <- NULL
}
