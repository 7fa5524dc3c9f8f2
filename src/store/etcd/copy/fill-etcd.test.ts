import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../../base/index.ts';
import { prefixRange } from '../../key-range.ts';
import { writeSnapshotFile } from '../../snapshot/snapshot-file.ts';
import type { Snapshot, SnapshotEntry } from '../../snapshot/snapshot.ts';
import { type GivenKey, type GivenOptions, givenSnapshot } from '../../testing/given-snapshot.ts';
import { expectFailure, put, WatchReader, write } from '../../testing/store-under-test.ts';
import { describeWithEtcd, openStore } from '../testing/describe-with-etcd.ts';
import { openEtcdStore } from '../open-etcd-store.ts';
import { EtcdProcess } from '../testing/etcd-process.ts';
import { CopyMark } from './copy-mark.ts';
import { snapshotEtcd } from './etcd-snapshot.ts';
import { fillEtcd, type FillReport } from './fill-etcd.ts';

describeWithEtcd('a copy into etcd', (etcd) => {
  let corners = 0;
  const corner = (): string => `/corner-${++corners}`;
  const parts = { clock: new RealClock(), random: new CryptoRandom() };

  function fill(
    prefix: string,
    snapshot: Snapshot,
    more: { from?: string; isFinal?: boolean } = {},
  ): Promise<FillReport> {
    const { from = 'somewhere', isFinal = true } = more;
    return fillEtcd(snapshot, { ...parts, endpoints: [etcd().endpoint], prefix, from, isFinal: async () => isFinal });
  }

  async function found(prefix: string): Promise<readonly SnapshotEntry[]> {
    await using snapshot = await snapshotEtcd({ ...parts, endpoints: [etcd().endpoint], prefix });
    const entries: SnapshotEntry[] = [];
    for await (const batch of snapshot.batches) entries.push(...batch);
    return entries;
  }

  async function values(prefix: string): Promise<Record<string, string>> {
    return Object.fromEntries((await found(prefix)).map(({ entry }) => [entry.key, String(entry.value)]));
  }

  const keys = (count: number, value = 'v'): Record<string, GivenKey> =>
    Object.fromEntries(
      Array.from({ length: count }, (_item, index) => [`/registry/a/${index}`, { value: `${value}${index}` }]),
    );

  test('has every value, and a lease for each key with a deadline', async () => {
    const prefix = corner();
    const inAnHourMs = parts.clock.now() + 3_600_000;
    const given = {
      ...keys(250),
      '/registry/b': { value: 'big'.repeat(400_000) },
      '/registry/events/a': { value: 'short', deadlineMs: inAnHourMs },
      '/registry/events/b': { value: 'over', deadlineMs: parts.clock.now() - 1 },
    };

    expect(await fill(prefix, givenSnapshot(given))).toMatchObject({
      objects: 252,
      written: 252,
      deleted: 0,
      isFinal: true,
    });

    const { '/registry/events/b': _over, ...expected } = given;
    const entries = await found(prefix);
    expect(await values(prefix)).toEqual(
      Object.fromEntries(Object.entries(expected).map(([key, { value }]) => [key, value])),
    );
    const deadlines = entries.filter(({ deadlineMs }) => deadlineMs !== 0);
    expect(deadlines.map(({ entry }) => entry.key)).toEqual(['/registry/events/a']);
    const lateMs = (deadlines[0]?.deadlineMs ?? 0) - inAnHourMs;
    expect(lateMs).toBeGreaterThan(-2000); // etcd reports whole seconds
    expect(lateMs).toBeLessThan(62_000);
  });

  test('begins above the revisions that clients may know, which are compacted from then on', async () => {
    const prefix = corner();
    await using store = openStore(etcd(), { prefix });
    const revision = (await store.revision()) + 5000;

    const report = await fill(prefix, givenSnapshot(keys(3), { revision }));

    for (const { entry } of await found(prefix)) expect(entry.modRevision).toBeGreaterThan(revision);
    for (const from of [revision - 4000, revision]) {
      const watch = new WatchReader(store, prefixRange('/registry/'), from);
      await expectFailure('Compacted', watch.batch());
      await expectFailure('Compacted', store.get('/registry/a/0', { at: from }));
    }
    const watch = new WatchReader(store, prefixRange('/registry/'), report.revision + 1);
    const next = watch.batch();
    await write(store, put('/registry/a/0', 'new'));
    expect((await next).events).toHaveLength(1);
    await watch.end();
  });

  test('is refused where raising the revision would take too long, with the name of the tool that can do it', async () => {
    const far = givenSnapshot(keys(1), { revision: 2 ** 40 });
    await expect(fill(corner(), far)).rejects.toThrow(/etcdutl snapshot restore --bump-revision 1099511627776/);
  });

  test('is refused where there are keys, except those of the same unfinished copy', async () => {
    const prefix = corner();
    await expect(fill(prefix, givenSnapshot(keys(300), { breaksAfter: 150 }))).rejects.toThrow('the source broke');
    expect(Object.keys(await values(prefix))).toHaveLength(100);

    await expect(fill(prefix, givenSnapshot(keys(300)), { from: 'elsewhere' })).rejects.toThrow(
      'it holds an unfinished copy of "somewhere"',
    );
    const server = { ...parts, endpoints: [etcd().endpoint], prefix };
    await expect(openEtcdStore(server)).rejects.toThrow('it holds an unfinished copy of "somewhere"');
    expect(await fill(prefix, givenSnapshot(keys(300)))).toMatchObject({ objects: 300, written: 200 });
    await using _store = await openEtcdStore(server);
    await expect(fill(prefix, givenSnapshot(keys(300)))).rejects.toThrow(
      `it has keys that begin with "${prefix}/" already`,
    );
  });

  test('can be brought up to date until it is final', async () => {
    const prefix = corner();
    await fill(
      prefix,
      givenSnapshot({ ...keys(300), '/registry/0': { value: 'gone soon' }, '/registry/z': { value: 'too' } }),
      {
        isFinal: false,
      },
    );
    const later = { ...keys(300), '/registry/a/7': { value: 'changed' } };

    expect(await fill(prefix, givenSnapshot(later))).toMatchObject({
      objects: 300,
      written: 1,
      deleted: 2,
      isFinal: true,
    });

    expect(await values(prefix)).toMatchObject({ '/registry/a/7': 'changed', '/registry/a/8': 'v8' });
    expect(Object.keys(await values(prefix))).toHaveLength(300);
  });

  test('ends with exactly the keys of the source, whatever was there of it and wherever it broke', async () => {
    const contents = fc.dictionary(
      fc.nat(400).map((number) => `/registry/${number}`),
      fc.record({ value: fc.string(), deadlineMs: fc.constantFrom(0, 0, 0, parts.clock.now() + 3_600_000) }),
      { size: '+2' },
    );
    await fc.assert(
      fc.asyncProperty(contents, contents, fc.nat(300), async (before, after, breaksAfter) => {
        const prefix = corner();
        const broken: GivenOptions = { breaksAfter };
        await fill(prefix, givenSnapshot(before, broken), { isFinal: false }).catch(() => undefined); // it may have broken
        await fill(prefix, givenSnapshot(after));
        const entries = await found(prefix);
        expect(
          Object.fromEntries(
            entries.map(({ entry, deadlineMs }) => [entry.key, [String(entry.value), deadlineMs > 0]]),
          ),
        ).toEqual(
          Object.fromEntries(
            Object.entries(after).map(([key, { value, deadlineMs = 0 }]) => [key, [value, deadlineMs > 0]]),
          ),
        );
      }),
      { numRuns: 15 },
    );
  });

  test('continues when etcd was away, once it is back', async () => {
    await using own = await EtcdProcess.start({ binary: 'etcd' });
    const options = {
      ...parts,
      endpoints: [own.endpoint],
      from: 'x',
      isFinal: async () => true,
      requestTimeout: 2000,
    };
    const source = givenSnapshot(keys(1000));
    const dying = (async function* () {
      let batches = 0;
      for await (const batch of source.batches) {
        if (++batches === 5) await own.kill();
        yield batch;
      }
    })();

    await expectFailure('Unavailable', fillEtcd({ ...source, batches: dying }, options));

    await own.restart();
    const { objects } = await fillEtcd(givenSnapshot(keys(1000)), { ...options, requestTimeout: 10_000 });
    await using store = openStore(own);
    expect([objects, (await store.range(prefixRange('/registry/'))).count]).toEqual([1000, 1000]);
  });

  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-copy-'));
    const entry = join(import.meta.dirname, '../testing/copy-program.ts');
    const bundle = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
    const flags = ['--bundle', '--platform=node', '--format=esm', '--target=node20', '--log-level=error'];
    execFileSync(bundle, [entry, ...flags, `--outfile=${join(folder, 'copy.mjs')}`]);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('continues after kill -9 at any moment, and is complete in the end', async () => {
    const prefix = corner();
    const file = join(folder, 'snapshot');
    const given = keys(4000, 'x'.repeat(500));
    await using store = openStore(etcd());
    await writeSnapshotFile(file, givenSnapshot(given, { revision: (await store.revision()) + 1000 }));
    const run = async (afterMs: number): Promise<boolean> => {
      const child = spawn(process.execPath, [join(folder, 'copy.mjs'), file, etcd().endpoint, prefix], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      await Promise.race([once(child.stdout, 'data'), ended]);
      const stop = new AbortController();
      void parts.clock.sleep(afterMs, stop.signal).then(() => child.kill('SIGKILL'));
      const [code] = await ended;
      stop.abort();
      return code === 0 || (await isFinished());
    };
    // a copy that was killed after it removed its mark has nothing left to do, and is not begun again
    const isFinished = async (): Promise<boolean> =>
      !(await new CopyMark(store.client, { from: file, prefix }).isBegun()) && (await found(prefix)).length > 0;
    let kills = 0;
    // each round may take longer than the one before: a busy machine needs many seconds for all of it
    for (let round = 1; !(await run(parts.random.int(100 * 2 ** round))); round++) kills += 1;

    expect(kills).toBeGreaterThan(0);
    expect(await values(prefix)).toEqual(
      Object.fromEntries(Object.entries(given).map(([key, { value }]) => [key, value])),
    );
  });
});
