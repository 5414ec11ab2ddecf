"""Worker processes that answer questions within limits of time and memory, for doors that strangers may use.

A door gives a `WorkItem` to the `Pool`, and sends on the bytes that come back.
"""

from .limits import Limits
from .pool import Pool
from .work import Message, Output, WorkItem

__all__ = ["Limits", "Message", "Output", "Pool", "WorkItem"]
