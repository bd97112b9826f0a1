"""The places where faults live: one build of the core that holds all of its own, a copy of the package for each other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from .faults import HERE, ROOT, Fault, ListError, faulty_core, faulty_python

__all__ = ["CORE_TESTS", "WORK", "make_build", "package_for"]

WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = WORK / "core"
PACKAGE = WORK / "package"
CORE_TESTS = BUILD / "core_tests"


def make_build(faults: list[Fault]) -> None:
    """Build the core with every fault in it, none of them chosen, and put the package around it."""
    by_file: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        if fault.in_core:
            by_file[fault.file].append(fault)
    sources = [path for path in sorted((ROOT / "core").rglob("*")) if path.is_file()]
    wanted = {
        path.relative_to(ROOT).as_posix(): path.read_bytes() for path in [*sources, ROOT / "CMakeLists.txt"]
    }
    for file, own in by_file.items():
        wanted[file] = faulty_core(wanted[file].decode(), own).encode()
    wanted["core/src/fault.cpp"] = (HERE / "fault.cpp").read_bytes()
    _mirror(wanted, TREE)
    _compile()
    _mirror(
        {path.relative_to(ROOT / "src").as_posix(): path.read_bytes() for path in _python_files()}, PACKAGE
    )
    for module in BUILD.glob("_core*.so"):
        link = PACKAGE / "onlinear" / module.name
        link.unlink(missing_ok=True)
        link.symlink_to(module)


def _python_files() -> list[Path]:
    kept = {".py", ".pyi", ".typed", ".json"}
    files = [path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return [path for path in files if path.suffix in kept or path.name == "py.typed"]


def _mirror(wanted: dict[str, bytes], folder: Path) -> None:
    """Make a folder hold these files; those that are right already keep their times, so little is built again."""
    for path in sorted(folder.rglob("*")) if folder.exists() else []:
        inside = path.relative_to(folder).as_posix()
        if path.is_file() and inside not in wanted and "__pycache__" not in path.parts:
            path.unlink()
    for name, content in wanted.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _compile() -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    flags = f"-O1 -DNDEBUG -w -include '{HERE / 'fault.hpp'}'"
    configure = ["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None"]
    configure += [f"-DCMAKE_CXX_FLAGS={flags}", "-DONLINEAR_PYTHON=ON", "-DONLINEAR_TESTS=ON"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}"]
    if launcher := shutil.which("ccache"):
        configure.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
    WORK.mkdir(parents=True, exist_ok=True)
    with (WORK / "build.log").open("wb") as log:
        for command in (configure, ["cmake", "--build", BUILD]):
            if subprocess.run(command, env=environment, stdout=log, stderr=log, check=False).returncode:
                raise ListError(f"the faults do not compile: see {log.name}")


def package_for(fault: Fault | None) -> Path:
    """The folder to import the package from: a copy of its own for a fault in Python."""
    if fault is None or fault.in_core:
        return PACKAGE
    folder = WORK / "python" / str(fault.number)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKAGE, folder, symlinks=True)
    path = folder / Path(fault.file).relative_to("src")
    path.write_text(faulty_python(path.read_text(encoding="utf-8"), fault), encoding="utf-8")
    return folder
