"""`compile_cubin` compiles CUDA C to a cubin with NVRTC and keeps it on disk by the digest of its text; it needs no
GPU. `kernel_resources` gives registers, stack and spills of each kernel.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import hashlib
import importlib.util
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from physx_runtime.compiling.kernel_cache import read_cached, write_cached, write_cached_text

# Nothing is fused, flushed to zero or approximated: a world's bits are the CPU target's. The log says what ptxas used.
FLAGS = ("-fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true", "--std=c++17", "--ptxas-options=-v")
# The file that holds NVRTC, and the one that NVRTC itself opens by its bare name.
LIBRARIES = ("libnvrtc.so.*", "nvrtc64_*_0.dll")
BUILTINS_LIBRARIES = ("libnvrtc-builtins.so.*", "nvrtc-builtins64_*.dll")
INSTALL = "pip install 'physx-schema[cuda]'"

FUNCTION_PATTERN = re.compile(r"Compiling entry function '(\w+)'")
STACK_PATTERN = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS_PATTERN = re.compile(r"Used (\d+) registers")
# Of a 64-bit ELF file: where its table of sections is, and of an entry of that table what it is called, where and how
# large it is.
ELF_SECTIONS, ELF_SECTION = struct.Struct("<40xQ10xHHH"), struct.Struct("<I20xQQ24x")


class ToolkitError(RuntimeError):
    """NVRTC is missing or refuses a text; one line."""


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources of a kernel's thread: registers, bytes of stack, spill stores and spill loads, and code size."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    code: int


def compile_cubin(text: str, architecture: str) -> bytes:
    """The machine code of a text for an architecture such as "sm_90". Raises ToolkitError where it cannot be made."""
    return _compile_cached(text, architecture)[0]


def kernel_resources(text: str, architecture: str) -> dict[str, Resources]:
    """Resources of each kernel of a text on an architecture. Raises ToolkitError as `compile_cubin`."""
    cubin, log = _compile_cached(text, architecture)
    sizes = section_sizes(cubin)
    resources = {}
    for log_entry in re.split(r"(?=Compiling entry function)", log):
        if name := FUNCTION_PATTERN.search(log_entry):
            stack, registers = STACK_PATTERN.search(log_entry), REGISTERS_PATTERN.search(log_entry)
            if not stack or not registers:
                raise ToolkitError(f"NVRTC's log does not report the registers of {name[1]}; only the log of NVRTC "
                                   "13.0 is supported")
            resources[name[1]] = Resources(int(registers[1]), int(stack[1]), int(stack[2]), int(stack[3]),
                                           sizes[f".text.{name[1]}"])
    return resources


def section_sizes(elf: bytes) -> dict[str, int]:
    """The bytes of each section of a 64-bit little-endian ELF file."""
    start, size, count, names = ELF_SECTIONS.unpack_from(elf)
    table = [ELF_SECTION.unpack_from(elf, start + i * size) for i in range(count)]
    strings = table[names][1]
    return {elf[strings + name:elf.index(b"\0", strings + name)].decode(): length for name, _, length in table}


def _compile_cached(text: str, architecture: str) -> tuple[bytes, str]:
    """Machine code, and the compiler's log."""
    digest = hashlib.sha256(" ".join((*FLAGS, architecture, text)).encode()).hexdigest()[:24]
    cubin, log = read_cached(f"cuda_{digest}.cubin"), read_cached(f"cuda_{digest}.log")
    if cubin is None or log is None:
        cubin, log = _nvrtc().compile(text, architecture)
        write_cached_text(f"cuda_{digest}.cu", text)
        write_cached(f"cuda_{digest}.cubin", cubin)
        write_cached(f"cuda_{digest}.log", log)
    return cubin, log.decode()


@functools.cache
def _nvrtc() -> _Nvrtc:
    return _Nvrtc()


class _Nvrtc:
    """The functions of the library that are used."""

    def __init__(self) -> None:
        folder = find_nvrtc()
        if folder:
            ctypes.CDLL(str(_find_file(folder, BUILTINS_LIBRARIES)), ctypes.RTLD_GLOBAL)
            self._library = ctypes.CDLL(str(_find_file(folder, LIBRARIES)))
            return
        installed = ctypes.util.find_library("nvrtc")
        if installed is None:
            raise ToolkitError(f"NVRTC, which compiles kernels, is not installed; install it with: {INSTALL}")
        self._library = ctypes.CDLL(installed)

    def compile(self, text: str, architecture: str) -> tuple[bytes, bytes]:
        """Machine code and log."""
        program = ctypes.c_void_p()
        flags = [f"--gpu-architecture={architecture}".encode(), *(flag.encode() for flag in FLAGS)]
        self._call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
        status = self._library["nvrtcCompileProgram"](program, len(flags), (ctypes.c_char_p * len(flags))(*flags))
        log = self._read_result(program, "ProgramLog")
        if status:
            message = next((line for line in log.decode().splitlines() if "error" in line), self._error_string(status))
            raise ToolkitError(f"NVRTC {self.version} cannot compile for {architecture}: {message}")
        cubin = self._read_result(program, "CUBIN")
        self._call("nvrtcDestroyProgram", ctypes.byref(program))
        return cubin, log.rstrip(b"\0")

    @property
    def version(self) -> str:
        """Such as "13.0"."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def _read_result(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def _call(self, name: str, *arguments: Any) -> None:
        status = self._library[name](*arguments)
        if status:
            raise ToolkitError(f"NVRTC's {name} failed: {self._error_string(status)}")

    def _error_string(self, code: int) -> str:
        function = self._library["nvrtcGetErrorString"]
        function.restype = ctypes.c_char_p
        return str(function(code).decode())


def find_nvrtc() -> Path | None:
    """The folder of NVRTC in NVIDIA's wheels; None where it is not installed from one."""
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        for pattern in LIBRARIES:
            for path in sorted(Path(root).rglob(pattern)):
                return path.parent
    return None


def _find_file(folder: Path, patterns: tuple[str, ...]) -> Path:
    paths = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
    if not paths:
        raise ToolkitError(f"{folder} does not contain {' or '.join(patterns)}; reinstall NVRTC with: {INSTALL}")
    return paths[0]
