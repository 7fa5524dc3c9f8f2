import type { CallEstimate, EstimatedCall, EstimatedNode } from './estimated-call.ts';
import { STRING_FACTOR } from './factors.ts';
import { type Bounds, plus, scaled, times, UNLIMITED } from './size.ts';

/** `replace`: the longest and shortest text that can come out. */
export function replaceEstimate(
  { target, args }: EstimatedCall,
  size: (node: EstimatedNode | undefined) => Bounds,
): CallEstimate | undefined {
  if (target === undefined || args.length < 2) return undefined;
  const [text, old, fresh] = [size(target), size(args[0]), size(args[1])];
  const longest = replacements({ text: text.max, smallestOld: old.min, isNoGain: fresh.max <= old.min });
  const shortest = replacements({ text: text.min, smallestOld: old.max, isNoGain: old.max <= fresh.min });
  const count: Bounds = { min: shortest.count, max: longest.count };
  const kept: Bounds = { min: shortest.kept, max: longest.kept };
  return { cost: scaled(text, 2 * STRING_FACTOR), size: plus(times(count, fresh), kept) };
}

/** How often something is replaced, and how much of the text stays. */
function replacements({
  text,
  smallestOld,
  isNoGain,
}: {
  readonly text: bigint;
  readonly smallestOld: bigint;
  readonly isNoGain: boolean;
}): {
  readonly count: bigint;
  readonly kept: bigint;
} {
  if (smallestOld === 0n) return { count: text < UNLIMITED ? text + 1n : text, kept: text };
  if (isNoGain) return { count: 0n, kept: text };
  return { count: quotient(text, smallestOld), kept: 0n };
}

/** Divided in floating point; what is too large for 64 bits comes out as the processor has it. */
function quotient(left: bigint, right: bigint): bigint {
  const value = Math.ceil(Number(left) / Number(right));
  return value >= 2 ** 64 ? 2n ** 63n : BigInt(value);
}
