// A program that writes to a store until a write needs a new segment while no more files can be opened, and once more
// when they can. It prints why the first write was refused, and `written`. Argument: the folder.
import { closeSync, openSync } from 'node:fs';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import { openDurableStore } from '../durable/open-durable-store.ts';
import { put } from './text-values.ts';

const [folder = ''] = process.argv.slice(2);
const store = await openDurableStore(folder, {
  clock: new RealClock(),
  random: new CryptoRandom(),
  segmentBytes: 100_000,
});
const write = (): Promise<unknown> => store.commit({ conditions: [], operations: [put('/a', 'x'.repeat(30_000))] });

const opened: number[] = [];
try {
  for (;;) opened.push(openSync('/dev/null', 'r'));
} catch {
  // expected: the descriptors are exhausted
}
try {
  for (;;) await write();
} catch (error) {
  console.log(error instanceof StoreError ? error.reason : error);
}
for (const descriptor of opened) closeSync(descriptor);
await write();
console.log('written');
await store[Symbol.asyncDispose]();
