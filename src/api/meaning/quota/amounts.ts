import { compareUtf8 } from '../../../base/index.ts';
import { type Quantity, quantityOf } from '../../values/quantity.ts';
import type { ResourceAmounts } from '../pod-resources.ts';

type Amounts = Map<string, Quantity>;

export const ZERO = quantityOf(0);
export const ONE = quantityOf(1);

export function addAmounts(left: ResourceAmounts, right: ResourceAmounts): Amounts {
  const sum = new Map(left);
  for (const [name, amount] of right) sum.set(name, sum.get(name)?.add(amount) ?? amount);
  return sum;
}

/** By how much the left amounts exceed the right ones; never negative. */
export function increaseOfAmounts(left: ResourceAmounts, right: ResourceAmounts): Amounts {
  const increase: Amounts = new Map();
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const difference = (left.get(name) ?? ZERO).sub(right.get(name) ?? ZERO);
    increase.set(name, difference.sign > 0 ? difference : ZERO);
  }
  return increase;
}

export function pickAmounts(amounts: ResourceAmounts, names: ReadonlySet<string>): Amounts {
  return new Map([...amounts].filter(([name]) => names.has(name)));
}

export function nonZeroAmounts(amounts: ResourceAmounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => amount.sign !== 0));
}

export function areEqualAmounts(left: ResourceAmounts, right: ResourceAmounts): boolean {
  return left.size === right.size && [...left].every(([name, amount]) => right.get(name)?.equals(amount) === true);
}

/** `cpu=1,memory=1Gi`, sorted by name. */
export function describeAmounts(amounts: ResourceAmounts): string {
  const names = [...amounts.keys()].sort(compareUtf8);
  return names.map((name) => `${name}=${amounts.get(name)?.toString() ?? ''}`).join(',');
}
