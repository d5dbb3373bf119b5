"""Every limit that users meet and every default, named and explained once.

Timings and sizes that only one module knows are beside their code; what one language alone limits is in its folder.
"""

from collections.abc import Iterable

KB = 1024
MB = 1024 * KB
GB = 1024 * MB

TIMEOUT = 30.0
"""Seconds a call may run before it is interrupted."""

MEMORY_MB = 512
"""Megabytes Python may allocate before it gets a MemoryError."""

MEMORY_LEAST_MB = 64
"""The least that `memory_mb` may be; less is too little for Python."""

MEMORY_MOST_MB = 4096
"""The most that it may be: all that 32-bit WebAssembly can address."""

MEMORY_OVERHEAD_MB = 640
"""Megabytes the engine itself may use on top of that before the watchdog ends it."""

OUTPUT_LIMIT = 1 * MB
"""Bytes kept of each output stream of one call, half from the head, half from the tail."""

CODE_LIMIT = 4 * MB
"""Bytes of code that one call may carry; more belongs into a file of the sandbox."""

STDIN_LIMIT = 8 * MB
"""Bytes of standard input that one call may carry; more belongs into a file of the sandbox."""

LEFT_OUT = "\n... {} characters left out ...\n"
"""The text between the two."""

OUTPUT_SWITCHES = 20_000
"""Switches between the output streams whose order is kept; after that, all of stdout comes first."""

FILES_LIMIT = 1 * GB
"""Bytes the guest may store in the sandbox's own folders."""

FILE_NAMES = 500_000
"""Files, folders and links the guest may create there and in mounts."""

PAGE_FILES_LIMIT = 256 * MB
"""Bytes the guest may store in a web page, whose files are in memory."""

GIT_LIMIT = 128 * MB
"""Bytes of an object or a pack that git reads or fetches."""

ENV_LIMIT = 4 * MB
"""Bytes of all environment variables of a sandbox, names included."""

OPEN_FILES = 1024
"""File descriptors the sandbox process may hold."""

INTERPRETER_FILES = 512
"""Files that one interpreter may hold open: the process needs some for itself."""

SMALL_INTERPRETER_FILES = 256
"""The same in JavaScript and Lua."""

LINKS_FOLLOWED = 40
"""Symbolic links on the way to a file, as many as in Linux."""

FRAME_LIMIT = 16 * MB
"""Bytes of one message on the control channel."""

EVENT_DISPLAYS = 1 * MB
"""Bytes of an observation's rich displays, pictures aside; larger ones are left out of it, with a note."""

DISPLAY_LIMIT = 8 * MB
"""Bytes of one rich display; a larger one is replaced by a note."""

DISPLAYS_LIMIT = 64 * MB
"""Bytes of all rich displays kept of one call; later ones are left out of its result."""

DISPLAY_DEPTH = 100
"""Nesting depth of a display, and of any message of the engine."""

DISPLAY_VALUES = 250_000
"""Values in such a message, which the host decodes in one step."""

VALUE_LIMIT = 1 * MB
"""Characters of a value's text in `Result.value`, in Python and PHP."""

TABLE_ROWS = 1000
"""Rows of a table in `Result.tables`."""

TABLE_CELLS = 20_000
"""Cells of all tables of one result."""

TABLE_CHARACTERS = 200_000
"""Characters of them, and of the HTML they are taken from."""

DATA_LIMIT = 256 * KB
"""Characters of a value's JSON in `Result.data`."""

DATA_DEPTH = 50
"""Nesting depth of such a value."""

DATA_VALUES = 50_000
"""Values in it."""

WORKER_LIMIT = 16
"""Workers of one sandbox process, including those that could not be stopped; beyond that the process is replaced."""

PROCESS_LIMIT = 12
"""Programs in Python that run at once in a sandbox, each in an interpreter of its own; all share the memory limit."""

BACKGROUND_CPU = 60.0
"""Processor seconds that work left running may use; also how long a call waits behind it, or gets back."""

QUERY_TIMEOUT = 10.0
"""Seconds a completion or an inspection may take before it is interrupted: it runs code of the guest's objects."""

INTERRUPT_GRACE = 0.4
"""Seconds a soft interrupt may take before the worker is replaced."""

KILL_GRACE = 3.0
"""Seconds a worker's replacement may take before the whole process is ended."""

START_TIMEOUT = 60.0
"""Seconds a sandbox may take to start on a busy machine, with snapshot and assets ready."""

STARTS_AT_ONCE = 2
"""Sandboxes of one event loop that start at once, per processor; others wait, because a start uses more than one."""

NICENESS = 7
"""Niceness of a sandbox that computes for a while above that of the program that opened it: a fifth of its weight."""

SESSION_NICENESS = 10
"""The same where Linux shares processors among sessions before processes: a ninth of the weight."""

HOST_REQUESTS = 64
"""Requests that one sandbox may have open at its host."""

REQUEST_WINDOW = 4 * MB
"""Bytes of a request or its answer that may be in flight before the other side has read them."""

LOOPBACK_PORTS = 64
"""Ports that the programs of one sandbox may have open."""

LOOPBACK_CONNECTIONS = 256
"""Connections that they may have open to these ports."""

POOL_WAIT = 60.0
"""Seconds a caller waits for a sandbox of a pool before PoolExhausted."""

POOL_GROWTH = 4
"""Sandboxes that a pool may have in all, as a multiple of its spares."""

POOL_LEAST = 16
"""The same for a small pool."""

POOL_TEMPLATES = 8
"""Templates whose spares a pool keeps; of more, the one that was not used longest is dropped."""

POOL_AGE = 3600.0
"""Seconds after which a spare of a pool is replaced."""

POOL_IDLE = 300.0
"""Seconds without a hand-out after which a template beside the pool's own keeps no spares."""

SAVED_FILES = 200_000
"""Files and folders of a saved sandbox."""

NET_CONNECT_TIMEOUT = 10.0
"""Seconds to resolve a host name, connect and negotiate TLS."""

NET_ANSWER_TIMEOUT = 120.0
"""Seconds from the end of a request to the headers of its answer."""

NET_STALL_TIMEOUT = 60.0
"""Seconds without a single byte of a body."""

NET_TOTAL_TIMEOUT = 600.0
"""Seconds one request may take in total, including redirects."""

NET_SLOWEST = 100
"""Bytes per second that a server must send or accept on average over NET_SLOW_WINDOW; event streams are exempt."""

NET_SLOW_WINDOW = 30.0
"""Seconds of waiting for a server over which its speed is measured."""

NET_REQUEST_LIMIT = 100 * MB
"""Bytes of the body of one request."""

NET_ANSWER_LIMIT = 1 * GB
"""Bytes of the body of one answer."""

NET_HEAD_LIMIT = 64 * KB
"""Bytes of the headers of one request or answer."""

NET_HEADERS = 200
"""Headers of one request."""

NET_URL_LIMIT = 16 * KB
"""Characters of a URL."""

NET_AT_ONCE = 16
"""Requests of one sandbox that run at once; more wait their turn."""

NET_IDLE = 8
"""Connections one sandbox keeps open for the next request."""

NET_IDLE_TIMEOUT = 15.0
"""Seconds it keeps them."""

NET_REDIRECTS = 10
"""Redirects followed for one request."""

NET_KEPT_BODY = 8 * MB
"""Bytes of a request's body that are kept in case a redirect needs it again."""

NET_LOG = 1000
"""Requests a sandbox remembers in `requests`."""

PACKAGE_LIMIT = 512 * MB
"""Bytes of one package, unpacked; and of its archive."""

PACKAGE_FILES = 50_000
"""Files of one package."""

PACKAGES_LIMIT = 2 * GB
"""Bytes of all packages that one sandbox installs in its life."""

WHEEL_LIMIT = 128 * MB
"""Bytes of a wheel in the sandbox that is installed from there."""

REQUIREMENT_LIMIT = 500
"""Requirements of one installation, and packages of one sandbox."""

RESOLVE_TIMEOUT = 600.0
"""Seconds that resolving and downloading packages may take."""

DIFF_FILE_LIMIT = 4 * MB
"""Bytes of one file that is compared; a larger one is only reported as changed."""

DIFF_LIMIT = 32 * MB
"""Characters of one patch."""

DIFF_STEPS = 20_000_000
"""Steps spent on finding a short diff; after that it is correct but longer."""

MARK_LIMIT = 512 * MB
"""Bytes of contents that all marks of a sandbox keep."""

MARK_FILES = 200_000
"""Files and folders in a mark."""

EVENT_LIMIT = 16 * MB
"""Bytes of one encoded event; a larger one is refused."""

EVENT_DEPTH = 200
"""Nesting depth of an event, so that readers do not run out of stack."""

EVENT_CONTENT_LIMIT = 64 * KB
"""Characters of an observation's content that stay in its event; a longer one goes to a file."""

EVENT_CONTENT_KEPT = 8 * KB
"""Characters of such a content that its event shows of the head, and of the tail."""

EVENT_PAGE = 500
"""Events that are read from a store at once."""

EVENT_PAGE_BYTES = 4 * MB
"""Bytes of events after which a page ends."""

EVENT_QUEUE = 1024
"""Writes that may be queued for a store; further writers wait."""

FEED_LIMIT = 1000
"""Events queued in memory for one follower; one that lags further reads them from the store."""

STORE_READERS = 4
"""Reads of one store that run at once."""

STORE_LOCK_WAIT = 10.0
"""Seconds a store waits for another process that is writing."""

STORE_RETRY = 1.0
"""Seconds after which an observation that could not be stored, on a full disk or a locked store, is tried again."""

STORE_POLL = 0.05
"""Seconds between checks for events from other processes, while a stream is followed."""

SECRET_LENGTH = 4
"""Characters of the shortest secret that is masked: shorter ones occur in too many words."""

REMEMBERED_ACTIONS = 256
"""Actions of a runtime whose observations are kept, in case one is sent again."""

REMEMBERED_SIZE = 64 * MB
"""Characters of all these observations; only the latest may exceed it alone."""

LIVE_OUTPUT = 1 * MB
"""Characters of an action's output queued for `on_output`; more is left out, with a note."""

LIVE_GRACE = 1.0
"""Seconds after an action's end in which `on_output` may take what is queued."""

READ_LIMIT = 64 * MB
"""Bytes of a file that is read by an action."""

EDIT_LIMIT = 10 * MB
"""Bytes of a file that is viewed or edited by an action."""

SHOWN_CHARACTERS = 30_000
"""Characters of an output or a view that an observation shows, half from the head, half from the tail."""

SHOWN_LINES = 11_000
"""Last lines of a command's output that its observation shows: 10,000 above a terminal of 1,000."""

OUTPUT_FILES = 20
"""The latest outputs too long to be shown, which a runtime keeps as files of the sandbox."""

COPY_LIMIT = 256 * MB
"""Bytes that are copied into or out of a runtime at once."""

COPY_FILES = 20_000
"""Files and folders that are copied into or out of a runtime at once."""

MCP_SESSIONS = 32
"""Sandboxes that one MCP server keeps open."""

MCP_RECENT = 10.0
"""Seconds after its last use in which a sandbox of an MCP server is not closed to make room for another client."""

MCP_GONE = 45.0
"""Seconds after its connection broke when a client of an MCP server counts as gone."""

MCP_LOOK = 5.0
"""Most seconds between two checks of an MCP server for clients that are gone and unused sandboxes."""

MCP_SILENCE = 10
"""Seconds of silence after which TCP keep-alive checks the other side of an MCP connection."""

MCP_NOTICES = 1000
"""Owners of closed sandboxes that an MCP server remembers, to notify them when they come back."""

MCP_NAME = 100
"""Characters of the name of a client that are kept."""

MCP_CONNECTIONS = 128
"""Clients with connections that one MCP server keeps; beyond that, the least recently used one is forgotten."""

MCP_OUTPUT = 100 * KB
"""Characters of each output stream in the answer of an MCP tool, half from the head, half from the tail."""

MCP_IMAGES = 900 * KB
"""Characters of all pictures in one answer of an MCP tool: clients refuse messages of more than 1 MB."""

MCP_PROGRESS = 1 * MB
"""Characters of output that are passed on while a tool runs."""

MCP_PROGRESS_WAIT = 5.0
"""Seconds a client may take to accept them; a slower one gets no more."""

MCP_MESSAGE_LIMIT = 64 * MB
"""Bytes of one message to or from an MCP server over HTTP."""

MCP_TEXT = 200_000
"""Characters of a file in one answer of an MCP tool; clients can choose the lines they want."""

MCP_FILE_LIMIT = 16 * MB
"""Bytes of a file that is read by an MCP tool or as a resource."""

MCP_FILES = 2000
"""Files of one listing of an MCP tool, and of the list of resources."""

MCP_CONNECT_TIMEOUT = 30.0
"""Seconds an MCP server of the configuration may take to start and to list its tools."""

MCP_RESULT_LIMIT = 16 * MB
"""Characters of a tool's answer from an MCP server."""

A2A_CONNECT_TIMEOUT = 15.0
"""Seconds the card of a remote agent may take."""

A2A_CANCEL_WAIT = 5.0
"""Seconds a remote agent may take to cancel a task."""

A2A_MESSAGE_LIMIT = 8 * MB
"""Bytes of one message of a remote agent."""

A2A_MESSAGE_VALUES = 50_000
"""Values in such a message, which is decoded in one step."""

A2A_TASK_LIMIT = 64 * MB
"""Bytes of all messages about one task."""

A2A_ARTIFACTS_LIMIT = 8 * MB
"""Characters of a task's artifacts that are kept, files written as data URLs included."""

A2A_SKILLS = 100
"""Skills of one remote agent that are listed."""

FORWARD_GRACE = 20.0
"""Seconds on top of an action's own that a remote runtime may take to answer."""

FORWARD_RECONNECT = 15.0
"""Seconds spent on reconnecting to a lost remote runtime while an action waits."""

CLONE_DEPTH = 100
"""Commits of the history of a session's repository that are cloned."""

CLONE_LIMIT = 500 * MB
"""Bytes that a clone may take on the host."""

CLONE_TIMEOUT = 300.0
"""Seconds that a clone may take."""

SETUP_TIMEOUT = 600.0
"""Seconds that a repository's setup script may take."""

INSTRUCTIONS_LIMIT = 64 * KB
"""Bytes of a repository's instructions that an agent is given."""

DELEGATION_DEPTH = 3
"""How deep agents may delegate to agents."""

SESSION_MEMORY = 256 * MB
"""Bytes of this machine's memory for each session that a server runs, where `[server] max_running` is not set."""

SESSION_ANSWER_GRACE = 20.0
"""Seconds beyond the limit of an action in which a server waits for its observation."""

SESSION_LOOK = 5.0
"""Most seconds between two checks of a server for sessions that nobody needs."""

SESSION_KEY = 200
"""Characters of the key with which a client may send an action again."""

FORK_WAIT = 10.0
"""Seconds to wait for the end of an action before a session is forked without the variables of its sandbox."""

FORK_SAVE = 60.0
"""Seconds that saving these variables may take."""

SERVER_CLOSE = 15.0
"""Seconds that the sessions of a server may take to end with it."""

LLM_CONNECT_TIMEOUT = 15.0
"""Seconds to connect to a model's server, or to its proxy."""

LLM_TOTAL_TIMEOUT = 1800.0
"""Seconds one answer of a model may take in all, without retries."""

LLM_RETRY_TOTAL = 300.0
"""Seconds that the pauses between the attempts of one request to a model may add up to."""

LLM_FIRST_PAUSE = 0.5
"""Seconds before the second attempt, if the server names no time; each further pause is twice as long."""

LLM_LONGEST_PAUSE = 30.0
"""Seconds that such a pause may last."""

LLM_OUTPUT_TOKENS = 8192
"""Tokens of one answer, for servers that must be told a number, unless `max_output_tokens` is set."""

LLM_ANSWER_LIMIT = 4 * MB
"""Characters of one answer of a model: its text, its thoughts and the arguments of its tool calls."""

LLM_EVENT_LIMIT = 8 * MB
"""Bytes of one event of a model's stream, or of an answer that is not streamed."""

LLM_STREAM_LIMIT = 256 * MB
"""Bytes of all events of one answer."""

LLM_TOOL_CALLS = 128
"""Tool calls in one answer of a model."""

RECORDING_LIMIT = 256 * MB
"""Bytes of a file of recorded answers."""
ANALYZER_TIMEOUT = 10.0
"""Seconds one security analyzer may take; after that its verdict counts as `ask`."""

SERVER_BODY_LIMIT = 16 * MB
"""Bytes of a request's body at the server, but for uploads."""
SERVER_TEXT = 1 * MB
"""Bytes of a text that a user writes by an action; of a longer one, the event says only the name and the size."""
SERVER_LISTED = 10_000
"""Files of one listing of a workspace."""
SERVER_MEASURED = 10.0
"""Seconds for which a measurement of a user's files holds; what was brought in since is added to it."""
SERVER_QUESTION = 5.0
"""Seconds that a question about code waits while other code runs."""
SERVER_MESSAGE_LIMIT = 4 * MB
"""Bytes of one message that a client sends over Socket.IO."""
SERVER_QUEUE = 64
"""Messages that wait for a client; its events are not read from the stream before there is room."""
SERVER_STALL = 30.0
"""Seconds that a client may leave them unread; then it is disconnected, and gets them when it comes back. So long it
may also say nothing in the middle of a request."""
SERVER_LIVE = 256 * KB
"""Characters of live output that wait for a client; older ones are left out."""
SERVER_CONNECTIONS = 1000
"""Clients that may be connected over Socket.IO at once."""
SERVER_PAGE = 1000
"""Events of one page of a stream."""
A2A_STEPS = 1 * MB
"""Characters of what an agent did that a task shows; all of it is in the events."""
A2A_HISTORY = 100
"""Messages of a task that are shown."""
A2A_TEXT = 1 * MB
"""Characters of a message for an agent of the server."""
A2A_ID = 200
"""Characters of the id that a client gives to a message."""
A2A_MESSAGES = 1000
"""Messages of a session that are remembered, so that one which is sent again is not obeyed again."""
A2A_LISTED = 1000
"""The latest tasks of a session, which can be listed."""
A2A_WAIT = 600.0
"""Seconds after which a client that waits for a task, without a stream, is told how far it is."""
A2A_QUEUE = 64
"""Events that wait for a client that follows a task; the others are read from the store when there is room."""

SERVER_MCP_CLIENTS = 1000
"""Clients of MCP whose sessions the server remembers; those sessions stay when a client is forgotten."""

SERVER_RATE_WAIT = 5.0
"""Seconds that a request beyond the rate of its user waits at most, before it is refused."""
SERVER_LOGINS = 5.0
"""Failed logins of one address in a second."""
SERVER_SHUTDOWN = 15.0
"""Seconds that sessions have to end when the server is stopped."""

CALL_BODY = 32 * MB
"""Bytes of a call that a client sends to a server's sandbox; more goes before it, as a body of its own."""
CALL_INLINE = 512 * KB
"""Bytes of a file that are sent as part of a call, or of its answer."""
CALL_LINE = 128 * MB
"""Bytes of one line of an answer that a client takes in, such as a result with all its displays."""
CALL_LOG = 4 * MB
"""Bytes of a running call's lines that a server keeps for a client that was cut off."""
CALL_HEARTBEAT = 5.0
"""Seconds after which a server that has nothing to say sends an empty line."""
CALL_SILENCE = 20.0
"""Seconds without even that after which a client connects again."""
CALL_RECONNECT = 30.0
"""Seconds in which a client tries to reach a server that it has lost."""
CALL_ORPHAN = 60.0
"""Seconds that a call goes on at the server without its client."""
CALL_KEPT = 120.0
"""Seconds that a server keeps the answer of a call, in case it is asked for again."""
CALL_GRACE = 60.0
"""Seconds beyond its time limit after which a client gives up a call, though the server is there."""
CALL_PATIENCE = 900.0
"""The same for calls without a time limit of their own, such as installing packages."""
CALLS_OPEN = 64
"""Calls of one session at a time."""
CALL_MARKS = 64
"""Marks of one session that a server keeps for `diff`; older ones are forgotten."""
CALL_BLOBS = 16
"""Bodies of one session that wait at a server for their call, or for the client to fetch them."""
CALL_BLOBS_SIZE = 2 * GB
"""Bytes of all these; only the latest may exceed it alone."""
CALL_BLOB_KEPT = 900.0
"""Seconds that they wait."""
CALLS_KEPT = 256
"""Ended calls of one session whose answers are kept."""
CALLS_KEPT_SIZE = 32 * MB
"""Bytes of all these answers; the latest is kept however long it is."""

RUN_LIMITS = (
    *("FILES_LIMIT", "FILE_NAMES", "WORKER_LIMIT", "PROCESS_LIMIT", "FRAME_LIMIT", "DISPLAY_DEPTH", "DISPLAY_VALUES"),
    *("HOST_REQUESTS", "REQUEST_WINDOW", "LOOPBACK_PORTS", "LOOPBACK_CONNECTIONS"),
)
"""Limits that the engine enforces while it runs. It gets them with its configuration, in `config.limits`."""

FIXED_LIMITS = (
    *("TIMEOUT", "MEMORY_MB", "OUTPUT_LIMIT", "INTERRUPT_GRACE", "PAGE_FILES_LIMIT"),
    *("DISPLAY_LIMIT", "VALUE_LIMIT", "DATA_LIMIT", "DATA_DEPTH", "DATA_VALUES"),
    *("INTERPRETER_FILES", "SMALL_INTERPRETER_FILES", "LINKS_FOLLOWED", "GIT_LIMIT"),
)
"""Limits that are built into what runs inside, or are the defaults of an engine without a host, such as a page's.

`make fmt` writes both kinds to engine/limits.ts."""


def engine_limits(names: Iterable[str] = RUN_LIMITS) -> dict[str, int | float]:
    """The limits under the names that the engine has for them: FILE_NAMES is its `fileNames`."""
    return {engine_name(name): globals()[name] for name in names}


def engine_name(name: str) -> str:
    """FILE_NAMES as `fileNames`."""
    first, *rest = name.lower().split("_")
    return first + "".join(map(str.capitalize, rest))
