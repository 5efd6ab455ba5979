"""The compiler's settings, and a few machine operations that Python has no name for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])
_I64 = ir.IntType(64)


# Counting references to arrays costs more than the work of a short function, and the kernels
# allocate nothing: `_nrt` turns it off.
_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}


def jit(function: F) -> F:
    """Compile on the first call and keep the machine code on disk."""
    return cast(F, numba.njit(**_OPTIONS)(function))


def inline(function: F) -> F:
    """Like `jit`, and melted into every caller."""
    return cast(F, numba.njit(inline="always", **_OPTIONS)(function))


@intrinsic
def _shift_right(_context: Any, _value: Any, _count: Any) -> Any:
    """Shift to the right, zeros coming in."""

    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.lshr(args[0], args[1])

    return types.int64(types.int64, types.int64), code


@intrinsic
def _ones_if(_context: Any, _condition: Any) -> Any:
    """All 64 bits set where the condition holds, else none."""

    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        bit = args[0]
        if bit.type.width > 1:
            bit = builder.trunc(bit, ir.IntType(1))
        return builder.sext(bit, _I64)

    return types.int64(types.boolean), code


@intrinsic
def _exponent(_context: Any, _power: Any) -> Any:
    """Logarithm of a power of two below 2**52; of 0 and of most greater ones a negative number.

    Four operations that every vector unit has: the power becomes the fraction of a floating-point
    number, and the subtraction of its leading one moves the logarithm into the exponent. From
    2**52 on the answer is negative or at least 52.
    """

    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        double = ir.DoubleType()
        bits = builder.or_(args[0], ir.Constant(_I64, 0x4330000000000000))
        number = builder.fsub(builder.bitcast(bits, double), ir.Constant(double, 2.0**52))
        biased = builder.lshr(builder.bitcast(number, _I64), ir.Constant(_I64, 52))
        return builder.sub(biased, ir.Constant(_I64, 1023))

    return types.int64(types.int64), code


# The same functions, as the type checker is to see them.
shift_right = cast(Callable[[int, int], int], _shift_right)
ones_if = cast(Callable[[bool], int], _ones_if)
exponent = cast(Callable[[int], int], _exponent)
whole = cast(Callable[[Any], int], numba.int64)
