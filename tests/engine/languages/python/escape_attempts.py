"""Ways out of the interpreter that Python code can try; each snippet prints LEAK if it gets hold of something."""

from tests.guest_python import DIGITS, SUFFIX

_HANDLES = """
import gc, sys, pyodide.webloop
from pyodide.ffi import JsProxy
handles = [pyodide.webloop.scheduleCallback]
frame = sys._getframe()
while frame is not None:
    for names in (frame.f_globals, frame.f_locals):
        for value in list(names.values()):
            if isinstance(value, JsProxy): handles.append(value)
            if isinstance(value, dict): handles += [one for one in value.values() if isinstance(one, JsProxy)]
            for inner in list(getattr(value, "__dict__", {}).values()) if type(value).__name__ == "module" else []:
                if isinstance(inner, JsProxy): handles.append(inner)
                if isinstance(inner, dict): handles += [one for one in inner.values() if isinstance(one, JsProxy)]
    frame = frame.f_back
for one in gc.get_objects():
    if type(one) is dict: handles += [value for value in list(one.values()) if isinstance(value, JsProxy)]
    if type(one) is list or type(one) is tuple: handles += [value for value in one if isinstance(value, JsProxy)]
"""
"""Collects every JavaScript object that can be found from a cell, as `handles`."""

_NAMES = """
NAMES = ("constructor", "prototype", "__proto__", "caller", "arguments", "callee", "call", "apply", "bind", "toString",
         "globalThis", "self", "window", "Deno", "process", "eval", "Function", "stack", "js_error", "new", "to_py",
         "as_object_map", "as_py_json", "object_entries", "object_keys", "object_values", "bind_class", "bind_sig",
         "to_weakref", "js_id", "typeof", "then", "catch", "finally_", "_sig", "getReader", "valueOf")
"""

_WASM = """
def leb(n):
    out = b""
    while True:
        n, low = n >> 7, n & 127
        out += bytes([low | (128 if n else 0)])
        if not n: return out
def section(kind, body): return bytes([kind]) + leb(len(body)) + body
def name(text): return leb(len(text)) + text.encode()
def module(export):
    dylink = name("dylink.0") + b"\\x01\\x04\\x00\\x00\\x00\\x00"
    head = b"\\0asm\\1\\0\\0\\0" + section(0, dylink)
    return (head + section(1, b"\\x01\\x60\\x00\\x01\\x7f") + section(3, b"\\x01\\x00")
            + section(7, b"\\x01" + name(export) + b"\\x00\\x00") + section(10, b"\\x01\\x04\\x00\\x41\\x00\\x0b"))
"""

ESCAPES: dict[str, str] = {
    "import js": "import js\nprint('LEAK', js)",
    "from js import": "from js import Object\nprint('LEAK')",
    "import a part of js": "import js.Object\nprint('LEAK')",
    "import pyodide_js": "import pyodide_js\nprint('LEAK')",
    "import pyodide_js._api": "from pyodide_js._api import config\nprint('LEAK')",
    "import by importlib": "import importlib\nprint('LEAK', importlib.import_module('js'))",
    "import by __import__": "print('LEAK', __import__('pyodide_js'))",
    "import after deleting the block": """
import sys
for name in ("js", "pyodide_js"): sys.modules.pop(name, None)
import js
print("LEAK")
""",
    "put the finder back": """
import sys
from _pyodide._importhook import jsfinder
sys.modules.pop("js", None); sys.meta_path.append(jsfinder)
import js
print("LEAK", js)
""",
    "register a module of our own": """
import sys, pyodide.webloop
from _pyodide._importhook import jsfinder, register_js_module
register_js_module("door", pyodide.webloop.scheduleCallback); sys.meta_path.append(jsfinder)
import door
from door import constructor
print("LEAK", constructor)
""",
    "run_js": "from pyodide.code import run_js\nprint('LEAK', run_js('globalThis'))",
    "_run_js": "from pyodide._run_js import run_js\nprint('LEAK', run_js('1'))",
    "pyodide.http": """
import sys, pyodide.http
from pyodide.ffi import JsProxy
for name in ("js_response", "js_request", "XMLHttpRequest", "_jsfetch", "AbortController", "Request"):
    if hasattr(pyodide.http, name) or hasattr(pyodide.http.FetchResponse, name): print("LEAK", name)
for name in [name for name in sys.modules if name.startswith("pyodide.http")]: del sys.modules[name]
import pyodide.http
print([("LEAK", one) for one in vars(pyodide.http).values() if isinstance(one, JsProxy)] or "")
""",
    "open_url": "from pyodide.http import open_url\nprint('LEAK', open_url('http://127.0.0.1'))",
    "to_js": "from pyodide.ffi import to_js\nprint('LEAK', to_js([1]).constructor)",
    "create_proxy": "from pyodide.ffi import create_proxy\nprint('LEAK', create_proxy(len).constructor)",
    "_pyodide_core": "import _pyodide_core\nprint('LEAK', _pyodide_core.to_js)",
    "make _pyodide_core again": """
import _imp
from importlib.machinery import BuiltinImporter, ModuleSpec
core = _imp.create_builtin(ModuleSpec("_pyodide_core", BuiltinImporter))
print("LEAK", core.to_js, core.create_proxy, core.jsproxy_typedict)
""",
    "functions in the garbage collector": """
import gc
for one in gc.get_objects():
    if getattr(one, "__name__", None) in ("to_js", "create_proxy", "raw_call", "trigger_fatal_error"):
        if type(one).__name__ == "builtin_function_or_method": print("LEAK", one)
""",
    "modules that are proxies": """
import sys
from pyodide.ffi import JsProxy
proxies = [module for module in sys.modules.values() if isinstance(module, JsProxy)]
print([("LEAK", module) for module in proxies if hasattr(module, "constructor")] or "")
""",
    "attributes of handles": _HANDLES
    + _NAMES
    + """
for handle in handles:
    for name in NAMES:
        for look in (getattr, object.__getattribute__, lambda o, n: type(o).__getattribute__(o, n)):
            try: print("LEAK", name, look(handle, name))
            except AttributeError: pass
""",
    "slots of handles": _HANDLES
    + """
for handle in handles:
    for kind in type(handle).__mro__[:-1]:
        for name in ("__getattribute__", "__getattr__", "__dir__", "__getitem__", "__setattr__", "__iter__", "__get__",
                     "as_object_map", "new", "to_py", "bind_class", "object_entries", "keys", "values", "items", "get"):
            if name in kind.__dict__: print("LEAK", kind, name)
""",
    "make handles talk again": _HANDLES
    + """
kind = type(handles[0])
for target in (kind, *kind.__mro__[1:-1]):
    try:
        target.__getattribute__ = lambda self, name: None
        print("LEAK", target)
    except TypeError: pass
""",
    "subscripts of handles": _HANDLES
    + """
for handle in handles:
    for key in ("constructor", 0, "__proto__"):
        try: print("LEAK", handle[key])
        except (TypeError, KeyError, IndexError, AttributeError): pass
""",
    "iterate handles": _HANDLES
    + """
for handle in handles:
    try: print("LEAK", list(handle))
    except TypeError: pass
""",
    "copy and pickle handles": _HANDLES
    + """
import copy, pickle
for handle in handles:
    for verb in (copy.copy, copy.deepcopy, pickle.dumps):
        try: value = verb(handle)
        except Exception: continue
        if value is not handle: print("LEAK", verb, value)
""",
    "errors of handles": _HANDLES
    + _NAMES
    + """
for handle in handles[:1]:
    try: handle()
    except Exception as error:
        for name in NAMES:
            if hasattr(error, name): print("LEAK", name, getattr(error, name))
""",
    "what a once callable offers": """
from pyodide.ffi import create_once_callable
handle = create_once_callable(len)
for name in ("constructor", "destroy", "new", "to_py", "as_object_map", "bind_class", "object_entries"):
    if hasattr(handle, name): print("LEAK", name)
""",
    "what a promise offers": """
import gc
from pyodide.ffi import JsProxy
import sys
frame, calls = sys._getframe(), {}
for one in gc.get_objects():
    if type(one) is dict and "sleep" in one and isinstance(one["sleep"], JsProxy): calls = one
promise = calls["sleep"](0.001) if calls else None
for name in ("constructor", "then", "catch", "finally_", "to_py", "as_object_map", "object_entries", "new"):
    value = getattr(promise, name, None)
    if isinstance(value, JsProxy): print("LEAK", name)
""",
    "arguments of callbacks": """
import asyncio, pyodide.webloop
from pyodide.ffi import create_once_callable
seen = []
pyodide.webloop.scheduleCallback(create_once_callable(lambda *args: seen.append(args)), 0)
await asyncio.sleep(0.05)
if any(seen): print("LEAK", seen)
""",
    "a bare proxy": """
import pyodide.webloop
for kind in type(pyodide.webloop.scheduleCallback).__mro__[:-1]:
    for make in (lambda: kind(), lambda: object.__new__(kind), lambda: kind.__new__(kind)):
        try: print("LEAK", make())
        except TypeError: pass
""",
    "a subclass of a proxy": """
import pyodide.webloop
class Mine(type(pyodide.webloop.scheduleCallback)):
    def __getattribute__(self, name): return 1
print("LEAK", Mine)
""",
    "swap the class of a proxy": """
import pyodide.webloop
class Other: pass
pyodide.webloop.scheduleCallback.__class__ = Other
print("LEAK")
""",
    "a JsException of our own": """
from pyodide.ffi import JsException
error = JsException("TypeError", "x")
for name in ("constructor", "js_error", "stack", "new", "to_py", "as_object_map"):
    if hasattr(error, name): print("LEAK", name)
""",
    "ctypes": "import ctypes\nprint('LEAK', ctypes.pythonapi)",
    "_ctypes": "import sys\nsys.modules.pop('_ctypes', None)\nimport _ctypes\nprint('LEAK')",
    "built-in modules made again": """
import _imp
from importlib.machinery import BuiltinImporter, ModuleSpec
for name in ("_ctypes", "posix", "_imp", "_testcapi", "_testinternalcapi", "_remote_debugging", "_thread", "_signal",
             "faulthandler", "_testlimitedcapi", "\\x01"):
    module = _imp.create_builtin(ModuleSpec(name, BuiltinImporter))
    if module is not None and len(vars(module)) > 8: print("LEAK", name, len(vars(module)))
""",
    "leftovers of ctypes": """
def below(kind, seen):
    for sub in type.__subclasses__(kind):
        if sub not in seen:
            seen.add(sub); below(sub, seen)
    return seen
import warnings
warnings.simplefilter("ignore")
found = [kind for kind in below(object, set()) if "ctypes" in kind.__module__ and not hasattr(kind, "_default")]
print([("LEAK", kind) for kind in found] or "")
""",
    "autoreload's ctypes": """
from IPython.extensions.deduperreload import deduperreload_patching as patching
print("LEAK", patching.ctypes)
""",
    "a native module of our own": _WASM
    + f"""
open("evil{SUFFIX}", "wb").write(module("PyInit_evil"))
try: import evil
except SystemError: print("LEAK")
""",
    "a native module by its loader": _WASM
    + """
import importlib.machinery as machinery, importlib.util as util
open("evil2.so", "wb").write(module("PyInit_evil2"))
loader = machinery.ExtensionFileLoader("evil2", "/workspace/evil2.so")
spec = util.spec_from_file_location("evil2", "/workspace/evil2.so", loader=loader)
try: util.module_from_spec(spec)
except SystemError: print("LEAK")
""",
    "a built-in module as a native one": f'LIBRARY = "/lib/python{DIGITS}.zip"'
    + """
import _imp
from importlib.machinery import ExtensionFileLoader, ModuleSpec
for name in ("_ctypes", "_pyodide_core", "posix", "_testcapi", "_imp", "_thread"):
    for origin in (name, "__main__", "/__main__", "", "/", "./__main__", LIBRARY, "/opt/packages"):
        spec = ModuleSpec(name, ExtensionFileLoader(name, origin), origin=origin)
        try: module = _imp.create_dynamic(spec)
        except (ImportError, SystemError, OSError, ValueError): continue
        leaks = {"dlopen", "to_js", "create_proxy", "system", "_exit", "create_dynamic", "start_new_thread"}
        if leaks & vars(module).keys(): print("LEAK", name, origin, leaks & vars(module).keys())
""",
    "a native module over a link": _WASM
    + """
import os, importlib.machinery as machinery, importlib.util as util
open("evil4.so", "wb").write(module("PyInit_evil4"))
os.symlink("/workspace/evil4.so", "link.so")
for name in ("/workspace/link.so", "/opt/packages/../../workspace/evil4.so", "evil4.so", "/opt/packages/evil4.so"):
    spec = util.spec_from_file_location("evil4", name, loader=machinery.ExtensionFileLoader("evil4", name))
    try: util.module_from_spec(spec)
    except SystemError: print("LEAK")
    except ImportError: pass
""",
    "a native module through sqlite": _WASM
    + """
import sqlite3
open("evil3.so", "wb").write(module("sqlite3_evil_init"))
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension("/workspace/evil3.so")
print("LEAK")
""",
    "posix.system": "import posix\nposix.system('echo LEAK > /dev/null; exit 0')",
    "the real posix functions": """
import gc
for one in gc.get_objects():
    if type(one).__name__ == "builtin_function_or_method" and getattr(one, "__module__", "") == "posix":
        if one.__name__ in ("system", "_exit", "abort", "kill", "fork", "execv", "execve"): print("LEAK", one)
""",
    "os.exec": "import os\nos.execvp('sh', ['sh', '-c', 'echo LEAK'])",
    "socket": "import socket\ns = socket.create_connection(('127.0.0.1', 22), 1)\nprint('LEAK', s)",
    "http.client": """
import http.client
connection = http.client.HTTPConnection("127.0.0.1", 22, timeout=1)
connection.request("GET", "/")
print("LEAK", connection.getresponse())
""",
    "urllib": "import urllib.request\nprint('LEAK', urllib.request.urlopen('http://127.0.0.1:22/', timeout=1))",
    "asyncio connection": "import asyncio\nprint('LEAK', await asyncio.open_connection('127.0.0.1', 22))",
    "host files": """
for path in ("/etc/passwd", "/etc/hostname", "/etc/shadow", "/proc/1/environ", "/proc/self/environ", "/proc/self/maps"):
    try: print("LEAK", path, open(path, "rb").read(20))
    except OSError: pass
""",
    "host files by dots": "print('LEAK', open('/workspace/../../../../../../etc/passwd').read())",
    "host environment": """
import os
print([("LEAK", name) for name in os.environ if name.startswith(("DENO", "XDG", "SSH", "CLOCHE", "CI"))] or "")
""",
    "the kernel's modules": """
import sys
print([("LEAK", name) for name in sys.modules if name.startswith("cloche_guest")] or "")
""",
    "a fatal error on purpose": "import _pyodide_core\n_pyodide_core.trigger_fatal_error()\nprint('LEAK')",
    "remote execution": "import sys\nsys.remote_exec(1, '/workspace/x.py')\nprint('LEAK')",
    "subinterpreters": "import _interpreters\nprint('LEAK', _interpreters.create())",
    "mmap of memory devices": """
import mmap, os
for path in ("/dev/mem", "/dev/kmem", "/proc/self/mem"):
    try: print("LEAK", mmap.mmap(os.open(path, os.O_RDONLY), 4096, prot=mmap.PROT_READ)[:4])
    except (OSError, ValueError): pass
""",
}
"""Snippets by what they try."""
