import { amountsOf } from '../../../../api/meaning/index.ts';

/** A quantity as a number: cores of `cpu`, bytes of `memory`; undefined where the text is none. */
export function quantityOf(text: string): number | undefined {
  try {
    const amount = amountsOf({ amount: text }).get('amount');
    return amount === undefined ? undefined : amount.milliValue() / 1000;
  } catch {
    return undefined;
  }
}
