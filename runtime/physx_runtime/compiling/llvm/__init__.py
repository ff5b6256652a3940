"""Traced code as LLVM IR and machine code."""
