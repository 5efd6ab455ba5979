"""The compiler's settings, and a few machine operations that Python has no name for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite import binding, ir
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])
_I64 = ir.IntType(64)


class _Options(Flags):
    """Compiler options that compare in one step: numba looks types up by them, and often."""

    def __hash__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self._values == other._values


class _Compiler(Compiler):
    """Numba's compiler, with `_Options`."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, local: Any
    ) -> None:
        own, options = cast(Any, super().__init__), cast(Any, _Options)
        own(typing, target, library, args, result, options(flags), local)


class _Unoptimised(JITCodeLibrary):
    """Code that nobody calls: only the functions that it ends up in become machine code.

    Otherwise everything is optimised and translated once more for each function that it is called
    through. All that is left of it is the name that numba writes an address to.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True
        cast(Any, self)._get_module_for_linking()
        names = [one.name for one in self._final_module.global_variables]
        self._final_module = binding.parse_assembly(
            "".join(f'@"{name}" = common global i64 0\n' for name in names if "NumbaEnv" in name)
        )
        cast(Any, super())._finalize_final_module()


class _InnerCompiler(_Compiler):
    """The same for `_Unoptimised`."""

    def __init__(self, typing: Any, target: Any, _library: Any, *rest: Any) -> None:
        library = cast(Any, _Unoptimised)(target.codegen(), "inner")
        super().__init__(typing, target, library, *rest)


# Counting references to arrays costs more than the work of a short function, and the kernels
# allocate nothing: `_nrt` turns it off. They use nothing of what numba rewrites. Only what Python
# calls is kept on disk.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "_nrt": False,
    "no_rewrites": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _Compiler,
}
_INNER: dict[str, Any] = _OPTIONS | {
    "no_cpython_wrapper": True,
    "pipeline_class": _InnerCompiler,
}


def jit(function: F) -> F:
    """Compile on the first call and keep the machine code on disk: a function Python calls."""
    return cast(F, numba.njit(cache=True, **_OPTIONS)(function))


def inner(function: F) -> F:
    """Like `jit`, for functions that only compiled ones call."""
    return cast(F, numba.njit(**_INNER)(function))


def inline(function: F) -> F:
    """Like `inner`, and melted into its callers: passing arrays costs more than a short function.

    This is left to the machine-code generator, which knows how; see `spliced`.
    """
    return cast(F, numba.njit(forceinline=True, **_INNER)(function))


def spliced(function: F) -> F:
    """Like `inline`, before types are known: needed where loops are to become vectors."""
    return cast(F, numba.njit(inline="always", **_INNER)(function))


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


@intrinsic
def _lesser(_context: Any, _one: Any, _other: Any) -> Any:
    """The lesser of two numbers; `min` takes much longer to compile."""

    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed("<", args[0], args[1]), args[0], args[1])

    return types.int64(types.int64, types.int64), code


@intrinsic
def _greater(_context: Any, _one: Any, _other: Any) -> Any:
    """The greater of two numbers; `max` takes much longer to compile."""

    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed(">", args[0], args[1]), args[0], args[1])

    return types.int64(types.int64, types.int64), code


# The same functions, as the type checker is to see them.
shift_right = cast(Callable[[int, int], int], _shift_right)
ones_if = cast(Callable[[bool], int], _ones_if)
exponent = cast(Callable[[int], int], _exponent)
whole = cast(Callable[[Any], int], numba.int64)
lesser = cast(Callable[[int, int], int], _lesser)
greater = cast(Callable[[int, int], int], _greater)
