# SPDX-License-Identifier: Apache-2.0
"""Prints, as JSON, what is installed in this Python's environment: plugins, and what they need.

Nothing is imported from there; metadata and the plugins' build information are read as files.
Only the standard library is used, and it runs on any Python 3, so that an old one is named rather
than failing.
"""

import ast
import importlib.util
import json
import platform
import re
import sys
from pathlib import Path

PACKAGES = ["jax", "jaxlib", "iree-base-compiler"]
# Fields of the plugins' _build_info.py.
WANTED = ["DEVICE", "FLAVOUR", "IREE_RUNTIME", "MEASURED"]
WANTED += ["SUPPORTED_JAXLIB", "SUPPORTED_IREE_COMPILER"]


def normalised(name):
    """The normalised name, by PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def describe(dist):
    """The normalised name, and the version or what is wrong."""
    folder = str(getattr(dist, "_path", ""))
    try:
        metadata = dist.metadata
        name, version = metadata["Name"], metadata["Version"]
    except Exception:
        name = version = None
    if name and version:
        return normalised(name), {"version": version}
    stem = re.match(r"(.+?)-[^-]+\.(dist|egg)-info$", Path(folder).name)
    error = f"its metadata cannot be read: {folder}"
    return normalised(name or (stem.group(1) if stem else "")), {"error": error}


def constants(file):
    """Values of the assignments in a rendered module, which is not run."""
    found = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            if name in WANTED and node.value is not None:
                found[name] = ast.literal_eval(node.value)
    return found


def plugin(dist, name, entry):
    """What a plugin says of itself, or what is wrong."""
    if "error" in entry:
        return dict(entry, name=name)
    facts = dict(entry, name=name, requires_python=dist.metadata["Requires-Python"] or ">=3")
    modules = [e.value for e in dist.entry_points if e.group == "jax_plugins"]
    try:
        file = Path(str(dist.locate_file(modules[0].replace(".", "/")))) / "_build_info.py"
        return dict(facts, build=constants(file))
    except (IndexError, OSError, SyntaxError, ValueError) as error:
        return dict(facts, error=f"its files cannot be read: {error}")


def survey(wanted):
    """All that the command asks for."""
    try:
        from importlib import metadata
    except ImportError:  # before Python 3.8
        return {"packages": {}, "plugins": []}
    packages, plugins = {}, {}
    # The first of several entries with one name counts, as in importlib.
    for dist in metadata.distributions():
        name, entry = describe(dist)
        if name in PACKAGES:
            packages.setdefault(name, entry)
        elif name in wanted and name not in plugins:
            plugins[name] = plugin(dist, name, entry)
    return {"packages": packages, "plugins": [plugins[name] for name in sorted(plugins)]}


def main():
    """The arguments are names of plugins."""
    found = {
        "executable": sys.executable,
        # A Debian build of a commit after a release says "3.13.0+".
        "python": platform.python_version().rstrip("+"),
        "pip": importlib.util.find_spec("pip") is not None,
    }
    found.update(survey([normalised(name) for name in sys.argv[1:]]))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
