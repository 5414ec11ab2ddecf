"""Worker processes that answer questions within limits of time and memory, for doors that strangers may use.

In: a `WorkItem` from a door.
Out: bytes for the door to send.
"""

from .limits import Limits
from .pool import Pool
from .work import Message, Output, WorkItem

__all__ = ["Limits", "Message", "Output", "Pool", "WorkItem"]
