"""How dangerous an action was judged to be, and whether it may run."""

from enum import IntEnum


class ActionSecurityRisk(IntEnum):
    """How dangerous an action was judged to be."""

    UNKNOWN = -1
    LOW = 0
    MEDIUM = 1
    HIGH = 2


UNKNOWN_RISK = ActionSecurityRisk.UNKNOWN

CONFIRMED = "confirmed"
REJECTED = "rejected"
AWAITING_CONFIRMATION = "awaiting_confirmation"
