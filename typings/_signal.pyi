"""The part of signal that is written in C."""

from signal import *
