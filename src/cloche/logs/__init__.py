"""What every log record below `cloche` carries, and how operators read it."""

from cloche.logs.ids import LogIds, log_ids
from cloche.logs.masks import Masks, add_masks, mask_text
from cloche.logs.records import JsonLines, RecordFilter

__all__ = ["JsonLines", "LogIds", "Masks", "RecordFilter", "add_masks", "log_ids", "mask_text"]
