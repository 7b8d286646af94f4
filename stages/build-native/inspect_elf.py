# SPDX-License-Identifier: Apache-2.0
"""Prints, as JSON, what a shared library exports and needs, and how it is hardened.

Arguments: the library, and the same one with its symbols.

Uses pyelftools, which auditwheel brings.
"""

import json
import re
import sys

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.sections import SymbolTableSection


def exported(elf: ELFFile) -> list[str]:
    """Names of the symbols that other libraries can bind to."""
    table = elf.get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    return sorted(
        symbol.name
        for symbol in table.iter_symbols()
        if symbol.entry.st_shndx != "SHN_UNDEF"
        and symbol.entry.st_info.bind in ("STB_GLOBAL", "STB_WEAK", "STB_LOOS")
    )


def needed(elf: ELFFile) -> list[str]:
    """DT_NEEDED entries in the file's order."""
    section = elf.get_section_by_name(".dynamic")
    assert isinstance(section, DynamicSection)
    return [tag.needed for tag in section.iter_tags() if tag.entry.d_tag == "DT_NEEDED"]


def glibc(elf: ELFFile) -> str:
    """Highest GLIBC_x.y that a symbol asks for; '0.0' if there is none."""
    section = elf.get_section_by_name(".gnu.version_r")
    if not isinstance(section, GNUVerNeedSection):
        return "0.0"
    names = (aux.name for _, auxes in section.iter_versions() for aux in auxes)
    matches = (re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name) for name in names)
    found = [(int(match[1]), int(match[2])) for match in matches if match]
    major, minor = max(found, default=(0, 0))
    return f"{major}.{minor}"


def symbols(elf: ELFFile) -> set[str]:
    """Names in all of its symbol tables."""
    tables = [section for section in elf.iter_sections() if isinstance(section, SymbolTableSection)]
    return {symbol.name for table in tables for symbol in table.iter_symbols()}


def hardening(elf: ELFFile, names: set[str]) -> dict[str, bool]:
    """What the file is protected by: read-only relocations, stack canaries and so on.

    ``names`` are its symbols, local ones too: a toolchain may link in what is called when a check
    fails.
    """
    dynamic = elf.get_section_by_name(".dynamic")
    assert isinstance(dynamic, DynamicSection)
    tags = {tag.entry.d_tag: tag.entry.d_val for tag in dynamic.iter_tags()}
    flags = tags.get("DT_FLAGS", 0) & 8 or tags.get("DT_FLAGS_1", 0) & 1
    now = "DT_BIND_NOW" in tags or bool(flags)
    segments = {segment.header.p_type: segment.header.p_flags for segment in elf.iter_segments()}
    return {
        "relro": "PT_GNU_RELRO" in segments and now,
        "nx": "PT_GNU_STACK" in segments and not segments["PT_GNU_STACK"] & 1,
        "stackProtector": "__stack_chk_fail" in names,
        "fortify": any(re.fullmatch(r"__\w+_chk", name) for name in names),
    }


def main() -> None:
    """Reads the files that the command line names."""
    with open(sys.argv[1], "rb") as stream, open(sys.argv[2], "rb") as with_symbols:
        elf = ELFFile(stream)
        facts = {
            "exports": exported(elf),
            "needed": needed(elf),
            "glibc": glibc(elf),
            "hardening": hardening(elf, symbols(ELFFile(with_symbols))),
        }
        json.dump(facts, sys.stdout)


if __name__ == "__main__":
    main()
