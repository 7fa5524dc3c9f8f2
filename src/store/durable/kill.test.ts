import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { text } from '../testing/text-values.ts';
import { openDurableStore } from './open-durable-store.ts';

/** KEELSON_KILL_ROUNDS runs more. */
const ROUNDS = Number(process.env['KEELSON_KILL_ROUNDS'] ?? 5);
const WRITERS = 32;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-kill-'));
  const entry = join(import.meta.dirname, '../testing/crash-writer.ts');
  const bundle = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
  const options = ['--bundle', '--platform=node', '--format=esm', '--target=node20', '--log-level=error'];
  execFileSync(bundle, [entry, ...options, `--outfile=${join(folder, 'writer.mjs')}`]);
});
afterAll(() => rm(folder, { recursive: true }));

interface Acknowledged {
  /** Keyed by writer. */
  readonly counts: Map<number, number>;
  revision: number;
  total: number;
}

test(
  `after kill -9 at any moment under load no acknowledged write is lost and none is partial (${ROUNDS} times)`,
  { timeout: 600_000 + ROUNDS * 10_000 },
  async () => {
    const random = new CryptoRandom();
    const data = join(folder, 'data');
    const acknowledged: Acknowledged = { counts: new Map(), revision: 0, total: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      await writeAndKill(data, acknowledged, { afterMs: random.int(400) });
      await expectNothingLost(data, acknowledged);
    }
    expect(acknowledged.total).toBeGreaterThan(ROUNDS * 10);
  },
);

async function writeAndKill(
  data: string,
  acknowledged: Acknowledged,
  { afterMs }: { readonly afterMs: number },
): Promise<void> {
  const child = spawn(process.execPath, [join(folder, 'writer.mjs'), data, String(WRITERS)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collectOutput(child);
  await output.opened;
  await new RealClock().sleep(afterMs);
  child.kill('SIGKILL');
  const { lines, errors } = await output.ended;
  expect(errors).toBe('');
  for (const line of lines) {
    const [writer = 0, count = 0, revision = 0] = line.split(' ').map(Number);
    acknowledged.counts.set(writer, Math.max(count, acknowledged.counts.get(writer) ?? 0));
    acknowledged.revision = Math.max(acknowledged.revision, revision);
    acknowledged.total += 1;
  }
}

function collectOutput(child: ChildProcess): {
  opened: Promise<void>;
  ended: Promise<{ lines: string[]; errors: string }>;
} {
  const parts: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stderr?.on('data', (data: Buffer) => errors.push(data));
  const opened = new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
  child.stdout?.on('data', (data: Buffer) => parts.push(data));
  const ended = new Promise<{ lines: string[]; errors: string }>((resolve) =>
    child.once('close', () => {
      const whole = Buffer.concat(parts).toString().split('\n').slice(1, -1); // without `open` and a line cut off by the end
      resolve({ lines: whole, errors: Buffer.concat(errors).toString() });
    }),
  );
  return { opened: Promise.race([opened, ended.then(() => undefined)]), ended };
}

async function expectNothingLost(data: string, acknowledged: Acknowledged): Promise<void> {
  await using store = await openDurableStore(data, { clock: new RealClock(), random: new CryptoRandom() });
  expect(store.revisionNow()).toBeGreaterThanOrEqual(acknowledged.revision);
  for (const [writer, count] of acknowledged.counts) {
    const left = store.readNow(`/left/${writer}`);
    const right = store.readNow(`/right/${writer}`);
    expect(text(left)).toBe(text(right));
    expect(left?.modRevision).toBe(right?.modRevision);
    const found = Number(text(left)?.split(' ')[0]);
    expect([count, count + 1]).toContain(found); // one more may have been in flight
    acknowledged.counts.set(writer, found);
  }
  acknowledged.revision = store.revisionNow();
}
