"""Error messages about files, for the sender of an action."""

import errno

from cloche.errors import BinaryFile


def explain_file_error(error: OSError | BinaryFile, kind: str, path: str) -> str:
    """What went wrong with a file, and what to do."""
    match error:
        case BinaryFile():
            return str(error)
        case FileNotFoundError():
            return f"File not found: {path}. Look what is there with `ls`."
        case IsADirectoryError():
            return f"{path} is a folder, not a file: `{kind}` works on files. Look into it with `ls {path}`."
        case NotADirectoryError():
            return f"{path} is a file, or lies below one, not a folder: `{kind}` cannot go on there."
        case PermissionError():
            return f"{path} may not be touched: {error.strerror or error}. Work in the workspace."
        case _ if error.errno == errno.EFBIG and kind == "copy_from":
            return f"{path} is too large to be copied at once: {error.strerror}. Copy it in parts."
        case _ if error.errno == errno.EFBIG:
            return (
                f"{path} is too large to be read whole ({error.strerror}). Read a part with `head`, `sed -n` or `tail`."
            )
        case _ if error.errno == errno.ENOTEMPTY:
            return f"{path} is not empty: remove what is in it first, or say `recursive`."
        case _ if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return f"There is no room left to write {path}: remove files that are not needed."
        case _:
            return f"`{kind}` of {path} failed: {error.strerror or error}."
