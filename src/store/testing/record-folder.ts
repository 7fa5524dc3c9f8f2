// Fills a folder with the recorded workload, for durable/testdata. Argument: the folder.
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import { openDurableStore } from '../durable/open-durable-store.ts';
import { recordedWorkload } from './recorded-workload.ts';

const [folder = ''] = process.argv.slice(2);
await using store = await openDurableStore(folder, {
  clock: new VirtualClock(),
  random: new SeededRandom(1),
  segmentBytes: 4000, // so that there are several segments and a checkpoint
  checkpointAfterBytes: 4000,
  history: { maxRevisions: 40 },
});
await recordedWorkload(store);
await store.checkpoint();
