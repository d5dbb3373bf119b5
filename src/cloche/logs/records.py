"""Log records with ids and without secrets, as text or as lines of JSON."""

import json
import logging
from datetime import UTC, datetime

from cloche.logs.ids import LogIds, current_ids
from cloche.logs.masks import mask_text

_TRACES = logging.Formatter()


class RecordFilter(logging.Filter):
    """Adds `session`, `user`, `action` and `event` to each record, and masks its secrets; for any handler.

    `%(ids)s` in a format is the ids that are known, as in ` [session=a action=3]`.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        ids = current_ids()
        record.__dict__.update(ids._asdict())
        record.ids = _show_ids(ids)
        said = record.getMessage()
        if (masked := mask_text(said)) != said:
            record.msg, record.args = masked, None
        if record.exc_info and not record.exc_text:
            record.exc_text = _TRACES.formatException(record.exc_info)
        # A formatter uses the text that it finds here.
        record.exc_text = record.exc_text and mask_text(record.exc_text)
        record.stack_info = record.stack_info and mask_text(record.stack_info)
        return True


class JsonLines(logging.Formatter):
    """One JSON object in each line; the handler needs a RecordFilter."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: getattr(record, name, None) for name in LogIds._fields},
            "pid": record.process,
        }
        if trace := "\n".join(filter(None, (record.exc_text, record.stack_info))):
            line["trace"] = trace
        return json.dumps(line, ensure_ascii=False)


def _show_ids(ids: LogIds) -> str:
    known = [f"{name}={value}" for name, value in ids._asdict().items() if value is not None]
    return f" [{' '.join(known)}]" if known else ""
