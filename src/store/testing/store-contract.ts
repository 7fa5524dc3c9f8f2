import { describe } from 'vitest';
import { describeRanges } from './range-contract.ts';
import type { OpenStoreUnderTest } from './store-under-test.ts';
import { describeTransactions } from './transaction-contract.ts';
import { describeModel } from './model-contract.ts';
import { describeWatches } from './watch-contract.ts';

/** Every Store passes this; a new backend is finished when it does. */
export function describeStore(name: string, open: OpenStoreUnderTest): void {
  describe(`${name} keeps the Store contract`, () => {
    describeTransactions(open);
    describeRanges(open);
    describeWatches(open);
    describeModel(open);
  });
}
