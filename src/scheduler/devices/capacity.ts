import { parseQuantity, Quantity, quantityOf } from '../../api/values/index.ts';
import type { Device } from './device.ts';

type Capacity = NonNullable<Device['capacity']>[string];
type Range = NonNullable<NonNullable<Capacity['requestPolicy']>['validRange']>;

/** Amounts by the name of the capacity. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** Parses a quantity of an object that the API server has validated. */
export function amountOf(value: string | number): Quantity {
  const parsed = parseQuantity(String(value));
  if (parsed instanceof Quantity) return parsed;
  throw new Error(`Cannot read quantity ${JSON.stringify(value)}: ${parsed.message}`);
}

export function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum = new Map(left);
  for (const [name, amount] of right) sum.set(name, sum.get(name)?.add(amount) ?? amount);
  return sum;
}

/**
 * The capacity that a request consumes, rounded up by the device's policy; undefined when the device has not enough
 * left, has no such capacity, or cannot provide such an amount.
 */
export function takenOf(
  device: Device,
  wanted: Readonly<Record<string, string>> | undefined,
  others: Amounts,
): Amounts | undefined {
  const { capacity = {} } = device;
  if (Object.keys(wanted ?? {}).some((name) => capacity[name] === undefined)) return undefined;
  const taken = new Map<string, Quantity>();
  for (const [name, offered] of Object.entries(capacity)) {
    const asked = wanted?.[name];
    const amount = asked === undefined ? amountByDefault(offered) : roundedUp(amountOf(asked), offered);
    if (!isAllocatableAmount(amount, offered)) return undefined;
    const used = others.get(name);
    if ((used?.add(amount) ?? amount).compare(amountOf(offered.value)) > 0) return undefined;
    taken.set(name, amount);
  }
  return taken;
}

function amountByDefault({ value, requestPolicy }: Capacity): Quantity {
  return amountOf(requestPolicy?.default ?? value);
}

function roundedUp(asked: Quantity, { requestPolicy }: Capacity): Quantity {
  const { validRange, validValues } = requestPolicy ?? {};
  if (validRange !== undefined) return roundedInto(asked, validRange);
  const larger = (validValues ?? []).map(amountOf).find((value) => asked.compare(value) <= 0);
  return larger ?? asked;
}

function roundedInto(asked: Quantity, { min = '0', step }: Range): Quantity {
  const least = amountOf(min);
  if (asked.compare(least) < 0) return least;
  if (step === undefined) return asked;
  const stepSize = amountOf(step).value();
  const steps = Math.ceil((asked.value() - least.value()) / stepSize);
  return quantityOf(least.value() + steps * stepSize, 'BinarySI');
}

function isAllocatableAmount(amount: Quantity, { requestPolicy }: Capacity): boolean {
  const { default: usual, validRange, validValues = [] } = requestPolicy ?? {};
  if (usual !== undefined && amount.equals(amountOf(usual))) return true;
  if (validRange !== undefined) {
    const { min = '0', max, step } = validRange;
    if (max !== undefined && amount.compare(amountOf(max)) > 0) return false;
    return step === undefined || (amount.value() - amountOf(min).value()) % amountOf(step).value() === 0;
  }
  return validValues.length === 0 || validValues.some((value) => amount.equals(amountOf(value)));
}
