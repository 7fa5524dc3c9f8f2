import type { CallEstimate, EstimatedCall, EstimatedNode, SizeOf } from './estimated-call.ts';
import { LIST_CREATE, STRING_FACTOR } from './factors.ts';
import { type Bounds, exactly, ONE, plus, scaled, times, UNKNOWN_SIZE, UNLIMITED } from './size.ts';

const SETS: Readonly<Record<string, number>> = {
  list_sets_contains_list: 1,
  list_sets_intersects_list: 1,
  list_sets_equivalent_list: 2,
};
const SORT = /^list_(.+)_(sort|sortByAssociatedKeys)$/;

/** Estimates for the functions on lists and sets. */
export function listEstimate({ overloadId, target, args }: EstimatedCall, sizeOf: SizeOf): CallEstimate | undefined {
  const size = (node: EstimatedNode | undefined): Bounds =>
    (node === undefined ? undefined : sizeOf(node)) ?? UNKNOWN_SIZE;
  const factor = SETS[overloadId];
  if (factor !== undefined) return { cost: plus(scaled(times(size(args[0]), size(args[1])), factor), ONE) };
  const [, type, verb] = SORT.exec(overloadId) ?? [];
  if (type !== undefined && target !== undefined) {
    const sorted = size(verb === 'sort' ? target : args[0]);
    const isText = type === 'string' || type === 'bytes';
    return allocating(isText ? 2 + STRING_FACTOR : 2, times(sorted, sorted));
  }
  switch (overloadId) {
    case 'list_slice': {
      const start = literalInt(args[0], 0n);
      return allocating(1, exactly(BigInt.asUintN(64, literalInt(args[1], size(target).max) - start)));
    }
    case 'lists_range':
      return allocating(1, exactly(literalInt(args[0], UNLIMITED)));
    case 'list_reverse':
      return allocating(1, size(target));
    case 'list_flatten':
      return allocating(1, size(target));
    case 'list_flatten_int':
      return allocating(Number(literalInt(args[0], UNLIMITED)), size(target));
    case 'list_distinct':
      return allocating(2, times(size(target), size(target)));
    default:
      return undefined;
  }
}

function allocating(factor: number, size: Bounds): CallEstimate {
  return { cost: plus(plus(scaled(size, factor), ONE), exactly(LIST_CREATE)), size };
}

function literalInt(node: EstimatedNode | undefined, otherwise: bigint): bigint {
  const expr = node?.expr;
  if (expr?.kind !== 'literal' || expr.literal.kind !== 'int') return otherwise;
  const value = BigInt(expr.literal.value);
  return value < 0n ? 0n : value;
}
