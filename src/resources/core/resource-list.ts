import { milliQuantityOf, parseQuantity, type Quantity, ValueError } from '../../api/index.ts';

/** Amounts by resource name, as in objects. */
export type ResourceList = Readonly<Record<string, string>>;

/** Parses a quantity that was decoded before and is therefore valid. */
export function amount(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity instanceof ValueError) throw quantity;
  return quantity;
}

/** The canonical forms that are finer than thousandths. */
const FINE = /[nu]$|e-/;

/** Rounds every amount up to thousandths, the finest unit of resources, in place; frozen lists are already rounded. */
export function roundToMilli(list: Record<string, string> | undefined): void {
  if (list === undefined || Object.isFrozen(list)) return;
  for (const name of Object.keys(list)) {
    const text = list[name] ?? '';
    if (!FINE.test(text)) continue;
    const quantity = amount(text);
    list[name] = milliQuantityOf(quantity.scaledValue(-3), quantity.format).toString();
  }
}

/** A list with additional amounts, in the order in which maps are printed. */
export function withAmounts(list: ResourceList | undefined, more: ResourceList): Record<string, string> {
  const merged = Object.entries({ ...list, ...more });
  return Object.fromEntries(merged.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The amounts of `source` that `list` lacks; undefined if there are none. */
export function missingAmounts(
  list: ResourceList | undefined,
  source: ResourceList | undefined,
  counts: (name: string) => boolean = () => true,
): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const name of Object.keys(source ?? {})) {
    if (list?.[name] === undefined && counts(name)) (found ??= {})[name] = source?.[name] ?? '';
  }
  return found;
}
