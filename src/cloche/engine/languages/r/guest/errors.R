# Describes an error: its class, message, place, and the calls that led there.

failed <- function(condition) {
  calls <- sys.calls()
  end <- sys.nframe()
  if (end > 1L && identical(calls[[end - 1L]][[1L]], quote(.handleSimpleError))) end <- end - 1L
  invokeRestart("cloche", described(condition, calls[seq_len(end)]))
}

# The last of these calls is the handler's, at the position where the error was raised.
described <- function(condition, calls) {
  from <- state$base + state$depth + 1L
  upto <- length(calls) - 1L
  own <- if (upto >= from) calls[from:upto] else list()
  places <- if (length(calls) >= from) lapply(calls[from:length(calls)], attr, "srcref") else list()
  places[[1L]] <- attr(state$code, "srcref")[[state$at]]
  here <- Filter(function(place) !is.null(place), places)
  last <- if (length(here)) as.integer(here[[length(here)]]) else c(NA, NA, NA, NA, NA, NA)
  list(
    kind = "error",
    type = class(condition)[1L],
    message = messaged(condition),
    hint = if (inherits(condition, "packageNotFoundError")) state$refused[[condition$package]],
    line = last[1L],
    column = last[5L],
    heading = headed(condition),
    calls = call_lines(own, places)
  )
}

# webR's own message for a URL that cannot be opened does not help here.
messaged <- function(condition) {
  text <- paste(conditionMessage(condition), collapse = "\n")
  sub(". See the Javascript console for further information", ": R has no network", text, fixed = TRUE)
}

headed <- function(condition) {
  message <- messaged(condition)
  call <- conditionCall(condition)
  if (is.null(call) || is_own(condition)) return(paste0("Error: ", message))
  start <- paste0("Error in ", short(call), " : ")
  paste0(start, if (nchar(start) + nchar(message) > 77L) "\n  ", message)
}

# At most this many lines: the outermost and the innermost.
call_lines <- function(calls, places, most = 40L) {
  lines <- vapply(seq_along(calls), function(i) paste0(i, ". ", short(calls[[i]]), placed(places[[i]])), "")
  if (length(lines) <= most) return(lines)
  c(lines[seq_len(most / 2L)], "   ...", lines[seq(length(lines) - most / 2L + 1L, length(lines))])
}

placed <- function(place) {
  if (is.null(place)) return("")
  numbers <- as.integer(place)
  paste0("  at ", attr(place, "srcfile")$filename, ":", numbers[1L], ":", numbers[5L])
}

short <- function(call, most = 70L) {
  lines <- tryCatch(deparse(call, width.cutoff = 60L, nlines = 2L), error = function(e) "?")
  text <- if (length(lines) > 1L) paste0(lines[1L], " ...") else lines
  if (nchar(text) > most) paste0(substr(text, 1L, most - 4L), " ...") else text
}

# Why code cannot be read: "<cell>:2:5: unexpected symbol", the lines around, and a mark.
unread <- function(condition, lines) {
  message <- conditionMessage(condition)
  found <- regmatches(message, regexec("^.*?:([0-9]+):([0-9]+): ([^\n]*)", message))[[1L]]
  if (length(found) != 4L) return(list(message = message, line = NA, column = NA, heading = message))
  line <- as.integer(found[2L])
  column <- as.integer(found[3L])
  if (line > length(lines) && length(lines)) {
    line <- length(lines)
    column <- nchar(lines[line]) + 1L
  }
  list(message = found[4L], line = line, column = max(column, 1L), heading = paste0("Error: ", message))
}
