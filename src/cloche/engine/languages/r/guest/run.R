# Runs code expression by expression, and returns the outcome as a list. `host` calls the engine.

state <- new.env()
# Frames between a call of `step` and the code it runs.
state$depth <- 0L

ask <- function(what, ...) .Call(host, what, list(...))

# Parses code; returns how many expressions it has, or why it cannot be parsed.
begin <- function(code, file) {
  lines <- strsplit(code, "\n", fixed = TRUE)[[1L]]
  Encoding(lines) <- "UTF-8"
  state$file <- srcfilecopy(file, lines, isFile = FALSE)
  parsed <- tryCatch(parse(text = lines, srcfile = state$file, keep.source = TRUE), error = identity)
  if (inherits(parsed, "error")) return(c(list(count = -1L), unread(parsed, lines)))
  state$code <- parsed
  state$refused <- list()
  list(count = length(parsed))
}

# Evaluates one expression. Its value is printed, or returned as text.
step <- function(i, text) {
  state$at <- i
  state$base <- sys.nframe()
  protected({
    shown <- withVisible(eval(state$code[i], globalenv()))
    if (!shown$visible) list(kind = "done")
    else if (text) valued(shown$value)
    else {
      show(shown$value)
      list(kind = "done")
    }
  })
}

# Where the stack is too deep only handlers that leave are called.
protected <- function(act) withRestarts(
  tryCatch(
    withCallingHandlers(act, error = failed, interrupt = stopped, warning = warned),
    stackOverflowError = function(condition) described(condition, list())
  ),
  cloche = function(outcome) outcome
)

# An error outside of every function has no call; the call of `step` does not count.
is_own <- function(condition) identical(conditionCall(condition), quote(eval(state$code[i], globalenv())))

warned <- function(condition) if (is_own(condition)) {
  .Internal(.dfltWarn(conditionMessage(condition), NULL))
  invokeRestart("muffleWarning")
}

stopped <- function(condition) invokeRestart("cloche", list(kind = "interrupted"))

leave <- function(status) invokeRestart("cloche", list(kind = "exit", status = as.integer(status)[1L]))

show <- function(value) if (isS4(value)) methods::show(value) else print(value)

valued <- function(value) {
  ask("capture", TRUE)
  on.exit(ask("capture", FALSE))
  show(value)
  on.exit()
  list(kind = "value", value = value, text = ask("capture", FALSE), html = table(value))
}

# A table as HTML, with only as many rows as can be viewed.
table <- function(value, rows = 60L, columns = 30L) {
  if (!is.data.frame(value)) return(NULL)
  cut <- utils::head(as.data.frame(value)[seq_len(min(ncol(value), columns))], rows)
  escape <- function(text) gsub("<", "&lt;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE)
  line <- function(cells, tag) paste0("<tr>", paste0("<", tag, ">", escape(cells), "</", tag, ">", collapse = ""), "</tr>")
  cells <- tryCatch(as.matrix(format(cut)), error = function(e) NULL)
  if (is.null(cells)) return(NULL)
  body <- vapply(seq_len(nrow(cut)), function(i) line(c(rownames(cut)[i], cells[i, ]), "td"), "")
  left <- if (any(dim(value) > dim(cut))) sprintf("<p>%d rows \u00d7 %d columns</p>", nrow(value), ncol(value)) else ""
  paste0("<table><thead>", line(c("", names(cut)), "th"), "</thead><tbody>", paste0(body, collapse = ""), "</tbody></table>", left)
}

# Completions at the cursor, and what they replace.
complete <- function(line, cursor) {
  utils:::.assignLinebuffer(line)
  utils:::.assignEnd(cursor)
  token <- utils:::.guessTokenFromLine()
  utils:::.completeToken()
  list(token = token, matches = utils:::.retrieveCompletions())
}

check <- function(code) {
  parsed <- tryCatch(parse(text = code, keep.source = FALSE), error = conditionMessage)
  if (!is.character(parsed)) "complete"
  else if (grepl("unexpected (end of input|INCOMPLETE_STRING)", parsed)) "incomplete"
  else "invalid"
}

inspect <- function(name) {
  value <- tryCatch(eval(str2lang(name), globalenv()), error = function(e) NULL)
  if (is.null(value)) return(NULL)
  text <- if (is.function(value)) sub("\nNULL$", "", paste(deparse(args(value)), collapse = "\n"))
  else paste(utils::capture.output(utils::str(value, list.len = 20L)), collapse = "\n")
  title <- if (is.function(value)) titled(name)
  paste(c(title, text), collapse = "\n")
}

# The first line of a function's help, if it has any.
titled <- function(name) tryCatch({
  page <- utils::help((name), help_type = "text")
  if (length(page)) as.character(tools:::.Rd_get_title(utils:::.getHelpFile(page)))
}, error = function(e) NULL)
