// Preloaded into an attacked server (`node --import`): how long its thread is kept from its event loop, counted in time on a core, so that
// what else the machine does says nothing. SIGUSR2 writes what was seen since the last one to the file that the URL's `out` names.
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs';

/** How often the thread should be free. Time between two looks that is longer than this was spent in one piece. */
const EVERY_MS = 1;
const SCHEDSTAT_BYTES = 64;

const out = new URL(import.meta.url).searchParams.get('out');
const file = openSync('/proc/thread-self/schedstat', 'r');
const bytes = Buffer.alloc(SCHEDSTAT_BYTES);

/** Milliseconds that this thread has been on a core. */
function threadMs() {
  const length = readSync(file, bytes, 0, SCHEDSTAT_BYTES, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
}

let last = threadMs();
let first = last;
let longest = [];

setInterval(() => {
  const now = threadMs();
  const held = now - last - EVERY_MS;
  last = now;
  if (held > EVERY_MS) longest.push(held);
}, EVERY_MS).unref();

process.on('SIGUSR2', () => {
  const now = threadMs();
  writeFileSync(`${out}.new`, JSON.stringify({ holdsMs: longest, busyMs: now - first }));
  renameSync(`${out}.new`, out);
  longest = [];
  last = now;
  first = now;
});
