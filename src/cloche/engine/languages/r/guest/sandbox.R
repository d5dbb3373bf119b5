# Replaces functions of R that would leave the sandbox, wait, or end it.

refuse <- function(what) {
  force(what)
  function(...) stop(
    what, " is not possible here: R has no network. Fetch the file with Python or curl, then read it.", call. = FALSE
  )
}

# Sets `name` of a package to `value`, for all its users.
replace <- function(name, value, package = "base") {
  places <- list(baseenv())
  if (package != "base") places <- list(asNamespace(package), as.environment(paste0("package:", package)))
  for (place in places) {
    if (!exists(name, place, inherits = FALSE)) next
    locked <- bindingIsLocked(name, place)
    if (locked) unlockBinding(name, place)
    assign(name, value, envir = place)
    if (locked) lockBinding(name, place)
  }
}

# The same function, with every `from` replaced by `to`.
changed <- function(act, from, to) {
  walk <- function(part) {
    if (identical(part, from)) return(to)
    if (!is.call(part) && !is.pairlist(part)) return(part)
    for (i in seq_along(part)) {
      item <- part[[i]]
      if (missing(item) || !(is.language(item) || is.pairlist(item))) next
      other <- walk(item)
      if (!identical(other, item)) part[[i]] <- other
    }
    part
  }
  body(act) <- walk(body(act))
  act
}

# The same function, with other meanings of these names.
seeing <- function(act, ...) {
  environment(act) <- list2env(list(...), parent = environment(act))
  act
}

# Runs a command in bash; returns what R's C function would: the lines of output, or the status.
shell <- function(command, intern, timeout = 0) {
  output <- !identical(intern, FALSE)
  variables <- Sys.getenv()
  result <- ask("system", command, output, getwd(), paste0(names(variables), "=", variables))
  if (!output) return(invisible(result$status))
  lines <- if (length(result$output)) strsplit(rawToChar(result$output), "\n", fixed = TRUE)[[1L]] else character()
  Encoding(lines) <- "UTF-8"
  if (result$status != 0L) {
    warning(sprintf("running command '%s' had status %d", command, result$status), call. = FALSE)
    attr(lines, "status") <- result$status
  }
  lines
}

# A program draws into a file, as it would in a terminal.
enter <- function() options(device = "pdf")

unload <- function() {
  grDevices::graphics.off()
  unlink(tempdir(), recursive = TRUE)
}

piped <- function(description, open = "", encoding = getOption("encoding")) {
  if (grepl("w", open)) stop("pipe() only reads here: write a file, and call system() with it", call. = FALSE)
  con <- textConnection(shell(description, TRUE))
  con
}

sleep <- function(time) {
  if (!is.numeric(time) || length(time) != 1L || is.na(time) || time < 0) stop("invalid 'time' value")
  ask("sleep", as.double(time))
  invisible(NULL)
}

quit <- function(save = "default", status = 0, runLast = TRUE) leave(status)

PACKAGES <- "/opt/languages/r"

# The folder of a package; a missing one is installed first, if that is enabled.
find <- function(package, lib.loc = NULL, quiet = FALSE, verbose = getOption("verbose")) {
  found <- find.package(package, lib.loc, quiet = TRUE, verbose = verbose)
  if (length(found) == 0L && length(package) == 1L && provided(package)) {
    found <- find.package(package, unique(c(PACKAGES, lib.loc)), quiet = TRUE, verbose = verbose)
  }
  if (length(found) == 0L && !quiet) find.package(package, lib.loc) else found
}

provided <- function(package) {
  if (!is.null(state$refused[[package]])) return(FALSE)
  state$refused[[package]] <- ask("provide", package)
  is.null(state$refused[[package]])
}

install <- function(pkgs, ...) {
  problem <- ask("install", as.character(pkgs))
  if (!is.null(problem)) stop(problem, call. = FALSE)
  invisible(NULL)
}

view <- function(x, title) {
  show(x)
  html <- table(x)
  if (!is.null(html)) ask("html", html)
  invisible(NULL)
}

page <- function(files, header, title, delete.file) {
  for (file in files) cat(gsub("_\b", "", readLines(file, warn = FALSE)), sep = "\n")
  if (delete.file) unlink(files)
}

replace("quit", quit)
replace("q", quit)
replace("Sys.sleep", sleep)
for (name in c("system", "system2")) {
  act <- changed(get(name, baseenv()), quote(grepl("emscripten", R.version$os)), FALSE)
  run <- quote(.Internal(system(command, intern, timeout, receive.console.signals)))
  replace(name, seeing(changed(act, run, quote(shell(command, intern, timeout))), shell = shell))
}
for (name in c("library", "loadNamespace", "requireNamespace")) {
  replace(name, seeing(get(name, baseenv()), find.package = find))
}
replace("pipe", piped)
for (name in c("url", "socketConnection", "serverSocket")) replace(name, refuse(paste0(name, "()")))
for (name in c("download.file", "download.packages", "url.show", "browseURL")) replace(name, refuse(paste0(name, "()")), "utils")
replace("install.packages", install, "utils")
replace("View", view, "utils")
if (bindingIsLocked(".Last.value", baseenv())) unlockBinding(".Last.value", baseenv())
local({
  paths <- environment(.libPaths)
  paths$.lib.loc <- c(PACKAGES, paths$.lib.loc)
})
options(
  device = function(...) plotting(), pager = page, help_type = "text", menu.graphics = FALSE, editor = "vi",
  warnPartialMatchDollar = FALSE, bitmapType = "cairo", repos = c(CRAN = "@CRAN@"), width = 80L, keep.source = TRUE
)

state$code <- expression(sys.nframe())
state$depth <- step(1L, TRUE)$value - state$base
