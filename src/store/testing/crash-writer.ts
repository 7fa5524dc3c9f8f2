// A program that writes as fast as it can until it is killed, and prints what was acknowledged. Arguments: the folder
// and the number of writers.
import { writeSync } from 'node:fs';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { openDurableStore } from '../durable/open-durable-store.ts';
import { put, text } from './text-values.ts';

const [folder = '', writers = '1'] = process.argv.slice(2);
const random = new CryptoRandom();
const store = await openDurableStore(folder, {
  clock: new RealClock(),
  random,
  // small, so that some kills hit the start of a segment or the writing of a checkpoint
  segmentBytes: 200_000,
  checkpointAfterBytes: 200_000,
  history: { maxRevisions: 500 },
});
writeSync(1, 'open\n');

/** Both keys of a writer always have the same count, which is incremented by each write. */
async function write(writer: number): Promise<void> {
  let count = Number(text(store.readNow(`/left/${writer}`))?.split(' ')[0] ?? 0);
  for (;;) {
    count += 1;
    const value = `${count} ${'x'.repeat(random.int(3000))}`;
    const operations = [put(`/left/${writer}`, value), put(`/right/${writer}`, value)];
    const result = await store.commit({ conditions: [], operations });
    writeSync(1, `${writer} ${count} ${result.revision}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_item, index) => write(index)));
