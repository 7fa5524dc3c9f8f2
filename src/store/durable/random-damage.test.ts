import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Random, SeededRandom } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import { prefixRange } from '../key-range.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { del, put, text, write } from '../testing/store-under-test.ts';
import type { DurableStore } from './durable-store.ts';
import { repairStore } from './repair-store.ts';
import { verifyStore } from './verify-store.ts';

/** Each kind of damage to each specimen once; KEELSON_DAMAGE_ROUNDS runs more. */
const ROUNDS = Number(process.env['KEELSON_DAMAGE_ROUNDS'] ?? 45);
const OPTIONS = { segmentBytes: 4000, checkpointAfterBytes: 1e9, history: { maxRevisions: 25 } };
const LOG_OR_CHECKPOINT = /^(log|checkpoint)-\d+$/;

/** A store's files by name, and what it must contain if it opens. */
interface Specimen {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Earlier versions of files, for the damage of restoring an old one. */
  readonly older: ReadonlyMap<string, Buffer>;
  readonly contents: unknown;
}

type Files = Map<string, Buffer>;

function contentsOf(store: DurableStore): unknown {
  const entries = store.rangeNow(prefixRange('/')).entries.map((entry) => ({ ...entry, value: text(entry) }));
  return { revision: store.revisionNow(), entries };
}

async function readFiles(folder: DurableFolder): Promise<Files> {
  const names = (await readdir(folder.path)).filter((name) => LOG_OR_CHECKPOINT.test(name) || name === 'manifest');
  return new Map(await Promise.all(names.map(async (name) => [name, await folder.read(name)] as const)));
}

/** Fills a store with segments and optionally a checkpoint, and takes its files as a kill or a close leaves them. */
async function makeSpecimen(options: {
  readonly hasCheckpoint: boolean;
  readonly isClosed: boolean;
}): Promise<Specimen> {
  await using folder = await DurableFolder.make();
  const random = new SeededRandom(5);
  const store = await folder.open(OPTIONS);
  let older: Files = new Map();
  for (let count = 0; count < 80; count++) {
    if (count === 77) older = await readFiles(folder);
    if (count === 40 && options.hasCheckpoint) await store.checkpoint();
    const operations = [put(`/key-${random.int(20)}`, `${count}`.repeat(1 + random.int(100)))];
    if (count % 9 === 8) operations.push(del('/often'));
    await write(store, ...(count % 9 === 0 ? [...operations, put('/often', 'here')] : operations));
  }
  await store.compact(70);
  const contents = contentsOf(store);
  let files = await readFiles(folder);
  await store[Symbol.asyncDispose]();
  if (options.isClosed) files = await readFiles(folder);
  return { files, older, contents };
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[random.int(items.length)] as T;
}

/** Offsets that look like the beginning of a frame. */
function frameStarts(content: Buffer): number[] {
  const starts: number[] = [];
  for (let at = content.indexOf('KFr1'); at >= 0; at = content.indexOf('KFr1', at + 1)) starts.push(at);
  return starts.length === 0 ? [0] : starts;
}

/** Each damages one file of a store. */
const damages: Readonly<Record<string, (files: Files, random: Random, specimen: Specimen) => void>> = {
  'a file is cut anywhere': (files, random) => {
    const [name, content] = pick([...files], random);
    files.set(name, content.subarray(0, random.int(content.length)));
  },
  'a segment is cut at a frame': (files, random) => {
    const [name, content] = pick(segmentsOf(files), random);
    files.set(name, content.subarray(0, pick(frameStarts(content), random)));
  },
  'the newest segment is cut at a frame': (files, random) => {
    const [name, content] = segmentsOf(files).at(-1) as [string, Buffer];
    files.set(name, content.subarray(0, pick(frameStarts(content), random)));
  },
  'the newest segment is blank from a frame on': (files, random) => {
    const [name, content] = segmentsOf(files).at(-1) as [string, Buffer];
    files.set(name, Buffer.from(content).fill(0, pick(frameStarts(content), random)));
  },
  'a bit is flipped': (files, random) => flip(files, pick([...files.keys()], random), random.int(1e9)),
  'a bit of the last frame is flipped': (files, random) => {
    const [name, content] = segmentsOf(files).at(-1) as [string, Buffer];
    flip(files, name, (frameStarts(content).at(-1) as number) + random.int(32));
  },
  'a range is overwritten': (files, random) => {
    const [name, content] = pick([...files], random);
    const from = random.int(content.length);
    files.set(
      name,
      Buffer.from(content).fill(random.int(256), from, Math.min(content.length, from + 1 + random.int(600))),
    );
  },
  'a file is removed': (files, random) => void files.delete(pick([...files.keys()], random)),
  'the newest segment is removed': (files) => void files.delete(segmentsOf(files).at(-1)?.[0] ?? ''),
  'all segments are removed': (files) => {
    for (const [name] of segmentsOf(files)) files.delete(name);
  },
  'everything but the manifest is removed': (files) => {
    for (const name of files.keys()) if (name !== 'manifest') files.delete(name);
  },
  'a file is emptied': (files, random) => void files.set(pick([...files.keys()], random), Buffer.alloc(0)),
  'two segments change places': (files, random) => {
    const [first, second] = [pick(segmentsOf(files), random), pick(segmentsOf(files), random)];
    files.set(first[0], second[1]);
    files.set(second[0], first[1]);
  },
  'something is appended': (files, random) => {
    const [name, content] = pick([...files], random);
    files.set(name, Buffer.concat([content, Buffer.alloc(1 + random.int(100), random.int(256))]));
  },
  'an old file is put back': (files, random, { older }) => {
    const [name, content] = pick([...older], random);
    files.set(name, content);
  },
};

function segmentsOf(files: Files): [string, Buffer][] {
  return [...files].filter(([name]) => name.startsWith('log-')).sort(([left], [right]) => (left < right ? -1 : 1));
}

function flip(files: Files, name: string, at: number): void {
  const content = Buffer.from(files.get(name) as Buffer);
  const offset = at % content.length;
  content[offset] = (content[offset] as number) ^ (1 << (at % 8));
  files.set(name, content);
}

async function putInto(folder: DurableFolder, files: Files): Promise<void> {
  for (const name of await readdir(folder.path)) await rm(join(folder.path, name), { recursive: true });
  for (const [name, content] of files) await folder.write(name, content);
}

test(
  `whatever happens to its files, a store opens with exactly the acknowledged writes or refuses to (${ROUNDS} damages)`,
  { timeout: 600_000 + ROUNDS * 500 },
  async () => {
    const specimens = [
      await makeSpecimen({ hasCheckpoint: false, isClosed: false }),
      await makeSpecimen({ hasCheckpoint: true, isClosed: false }),
      await makeSpecimen({ hasCheckpoint: true, isClosed: true }),
    ];
    const kinds = Object.entries(damages);
    const seen = { exact: 0, refused: 0 };
    await using folder = await DurableFolder.make();
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = new SeededRandom(seed);
      const specimen = specimens[Math.floor(seed / kinds.length) % specimens.length] as Specimen;
      const files = new Map(specimen.files);
      const [what, damage] = kinds[seed % kinds.length] as (typeof kinds)[number];
      damage(files, random, specimen);
      await putInto(folder, files);
      const message = `seed ${seed}: ${what}`;

      const report = await verifyStore(folder.path, folder);
      const opened = await folder.during(async (store) => contentsOf(store), OPTIONS).catch((error: unknown) => error);

      if (opened instanceof Error) {
        expect(opened instanceof StoreError && ['Damaged', 'UnknownFormat'].includes(opened.reason), message).toBe(
          true,
        );
        expect(report.problems, message).not.toEqual([]);
        seen.refused += 1;
        if ((opened as StoreError).reason === 'Damaged') await expectRepairable(folder, message);
      } else {
        expect(opened, message).toEqual(specimen.contents);
        expect(report.problems, message).toEqual([]);
        seen.exact += 1;
      }
    }
    expect(seen.refused).toBeGreaterThan(ROUNDS / 2);
    expect(seen.exact).toBeGreaterThan(ROUNDS / 50);
  },
);

async function expectRepairable(folder: DurableFolder, message: string): Promise<void> {
  const { objects, revision, losses } = await repairStore(folder.path, { ...folder, acceptLoss: true });
  expect(losses, message).not.toEqual([]);
  await folder.during(async (store) => {
    expect(store.rangeNow(prefixRange('/')).count, message).toBe(objects);
    expect(store.revisionNow(), message).toBe(revision);
    expect(store.rangeNow(prefixRange('/')).entries.every((entry) => entry.modRevision <= 80)).toBe(true);
    expect(await write(store, put('/after', 'the repair')), message).toBe(revision + 1);
  });
}
