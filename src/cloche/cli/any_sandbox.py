"""The sandboxes that commands use: one of this machine, or one at a server. Only for types: it imports both."""

from cloche.remote.remote_sandbox import RemoteSandbox
from cloche.sandbox.sandbox import Sandbox

AnySandbox = Sandbox | RemoteSandbox
