"""Known names: modules whose package has another name, and alternatives to packages that cannot be installed."""

MODULES = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "Crypto": "pycryptodome",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "git": "gitpython",
    "jwt": "pyjwt",
    "magic": "python-magic",
    "markdown_it": "markdown-it-py",
    "OpenSSL": "pyopenssl",
    "PIL": "pillow",
    "pptx": "python-pptx",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "slugify": "python-slugify",
    "ruamel": "ruamel-yaml",
    "usb": "pyusb",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""Packages by the modules they provide, where the names differ and the distribution does not say so."""

POPULAR = {
    *("aiohttp", "anyio", "arrow", "attrs", "beautifulsoup4", "black", "boto3", "click", "colorama", "cryptography"),
    *(
        "django",
        "fastapi",
        "flask",
        "httpx",
        "httpx2",
        "hypothesis",
        "jinja2",
        "jsonschema",
        "loguru",
        "lxml",
        "markdown",
    ),
    *("matplotlib", "mypy", "networkx", "numpy", "openai", "openpyxl", "orjson", "packaging", "pandas", "pendulum"),
    *("pillow", "plotly", "polars", "pydantic", "pygments", "pyjwt", "pypdf", "pytest", "python-dateutil", "pytz"),
    *("pyyaml", "requests", "rich", "scikit-learn", "scipy", "seaborn", "setuptools", "six", "sqlalchemy", "sympy"),
    *("tabulate", "tenacity", "toml", "toolz", "tqdm", "typer", "typing-extensions", "tzdata", "urllib3", "xlsxwriter"),
}
"""Names that a misspelt name is compared with."""

INSTEAD = {
    "cupy": "numpy",
    "gevent": "asyncio of the standard library",
    "jax": "numpy or scipy",
    "keras": "scikit-learn, xgboost or lightgbm",
    "mysql-connector-python": "sqlite3, or a database behind an HTTP interface",
    "numba": "numpy",
    "opencv-python-headless": "opencv-python, which is in the Pyodide distribution",
    "psutil": "os and time of the standard library",
    "psycopg2": "sqlite3, or a database behind an HTTP interface",
    "psycopg2-binary": "sqlite3, or a database behind an HTTP interface",
    "pyqt6": "a display of matplotlib, or HTML",
    "pyside6": "a display of matplotlib, or HTML",
    "tensorflow": "scikit-learn, xgboost or lightgbm; models can be asked over the network",
    "torch": "scikit-learn, xgboost or lightgbm; models can be asked over the network",
    "uvloop": "asyncio of the standard library",
}
"""What to use in place of packages that do not exist for WebAssembly."""
