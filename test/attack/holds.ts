// How long one request keeps the thread from everybody else, at worst, by kind of work: `node scripts/run.mjs test/attack/holds.ts [REGEX]`.
// Time is that of this thread on a core, so that what else the machine does says nothing. Each request is sent three times, and
// the least counts: the first time includes compiling.

import { readFileSync } from 'node:fs';
import { MeasuredServer } from '../hostile/measured-server.ts';
import { HEAVY_REQUESTS, prepare } from './heavy-requests.ts';

const ROUNDS = 3;
const wanted = new RegExp(process.argv[2] ?? '');

/** Milliseconds that this thread has been on a core. */
function threadMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

interface Hold {
  readonly longestMs: number;
  readonly allMs: number;
  readonly answer: string;
}

/** The longest piece of `act` between two turns of the event loop, and all of them together. */
async function holdDuring(act: () => Promise<string>): Promise<Hold> {
  let isOver = false;
  let longestMs = 0;
  const begun = threadMs();
  let last = begun;
  const look = (): void => {
    const now = threadMs();
    longestMs = Math.max(longestMs, now - last);
    last = threadMs();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const answer = await act();
  isOver = true;
  await new Promise((resolve) => void setImmediate(resolve));
  return { longestMs, allMs: threadMs() - begun, answer };
}

await using server = await MeasuredServer.start();
await prepare(server);
console.log('| Request | longest hold, ms | in all, ms | answer |\n| --- | --- | --- | --- |');
for (const { name, request, before } of HEAVY_REQUESTS) {
  if (!wanted.test(name)) continue;
  const holds: Hold[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await before?.(server, round);
    const { body = '', ...rest } = request(round);
    const bytes = Buffer.from(body);
    globalThis.gc?.();
    holds.push(
      await holdDuring(async () => {
        const { code, answer } = await server.measure({ name, ...rest, body: bytes });
        const said = code < 400 ? '' : `: ${answer.toString('utf8', 0, 300)}`;
        return `${code}, ${answer.length} bytes${said.replaceAll('\n', ' ')}`;
      }),
    );
  }
  const [least] = holds.toSorted((left, right) => left.longestMs - right.longestMs);
  if (least === undefined) continue;
  console.log(`| ${name} | ${least.longestMs.toFixed(0)} | ${least.allMs.toFixed(0)} | ${least.answer} |`);
}
