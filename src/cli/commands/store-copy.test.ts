import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { openDurableStore } from '../../store/index.ts';
import { describeWithEtcd } from '../../store/etcd/testing/describe-with-etcd.ts';
import { storeCommand } from './store.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-copy-command-'));
});
afterEach(() => rm(folder, { recursive: true }));

const place = (name: string): string => join(folder, name);

/** Runs `keelson store`; returns its output and, last, its error. */
async function run(...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text.replaceAll(folder, ''));
  const context = {
    environment: { KEELSON_DATA_DIR: place('data') },
    signal: new AbortController().signal,
    isTerminal: false,
    print,
    printError: print,
  };
  await storeCommand.run(args, context).catch((error: unknown) => print(String(error)));
  return lines;
}

/** A store with two objects, open until it is disposed. */
async function openFilled(): Promise<AsyncDisposable> {
  const options = { clock: new RealClock(), random: new CryptoRandom() };
  const store = await openDurableStore(place('data/store'), options);
  for (const name of ['a', 'b']) {
    const value = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } }));
    await store.commit({ conditions: [], operations: [{ type: 'put', key: `/registry/configmaps/x/${name}`, value }] });
  }
  return store;
}

test('snapshot, verify and restore work on a running and on a stopped store', async () => {
  {
    await using _store = await openFilled();
    expect(await run('snapshot', place('running'))).toEqual(['/running: 2 objects at revision 2']);
  }
  expect(await run('snapshot', place('stopped'))).toEqual(['/stopped: 2 objects at revision 2']);
  expect(await run('verify', place('stopped'))).toEqual([
    expect.stringMatching(/^2 objects at revision 2, as in the embedded store, taken \d{4}-/),
    'the snapshot is sound',
  ]);
  expect(await run('restore', place('running'), '--data-dir', place('r'))).toEqual([
    'restored 2 objects at revision 1000002 into /r/store',
  ]);
  expect(await run('restore', place('stopped'), '--data-dir', place('s'))).toEqual([
    'restored 2 objects at revision 2 into /s/store',
  ]);
  expect(await run('restore', place('stopped'), '--data-dir', place('t'), '--bump-revision', '7')).toEqual([
    'restored 2 objects at revision 9 into /t/store',
  ]);
  const dumped = await run('dump', '--data-dir', place('s'));
  expect(dumped.join('\n').split('\n')).toHaveLength(4);
  expect(await run('copy', '--from', place('data'), '--to', place('u'))).toEqual([
    'copied 2 objects of revision 2, 2 of them now; goes on at revision 2',
  ]);
});

test('bad input is reported', async () => {
  await using store = await openFilled();
  await store[Symbol.asyncDispose]();
  await run('snapshot', place('good'));
  const good = await readFile(place('good'), 'utf8');
  await writeFile(place('cut'), good.slice(0, -30));
  await writeFile(place('flipped'), good.replace('ConfigMap', 'ConfigNap'));
  await writeFile(place('newer'), good.replace('"keelsonStoreDump":2', '"keelsonStoreDump":3'));
  await writeFile(place('none'), Buffer.alloc(5000, 0xff));
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['UsageError: which file is the snapshot to be written to?', 'snapshot'],
    ['UsageError: "save" is not snapshot, restore, copy, check, dump, repair or compact', 'save'],
    ['Cannot write snapshot "/no/such": ENOENT', 'snapshot', place('no/such')],
    ['Cannot open store "/empty/store": there is no such folder', 'snapshot', place('x'), '--data-dir', place('empty')],
    ['Cannot read snapshot "/absent": ENOENT', 'restore', place('absent')],
    ['Cannot read the snapshot: line 4 is not JSON', 'restore', place('cut'), '--data-dir', place('new')],
    ['Cannot read the snapshot: the checksum is not', 'restore', place('flipped'), '--data-dir', place('new')],
    ['Cannot read the snapshot: line 1 says version 3', 'verify', place('newer')],
    ['Cannot read the snapshot: line 1 is not JSON', 'verify', place('none')],
    ['Cannot restore into "/data/store": there is a store already', 'restore', place('good')],
    ['UsageError: --bump-revision must be a whole number', 'restore', place('good'), '--bump-revision', 'far'],
    ['UsageError: --from is missing', 'copy', '--to', place('new')],
    ['UsageError: --to is missing', 'copy', '--from', place('data')],
    ['is a file; snapshot writes one', 'copy', '--from', place('data'), '--to', place('good')],
  ];
  for (const [message, ...args] of cases) expect((await run(...args)).at(-1), args.join(' ')).toContain(message);
  expect(await run('restore', place('good'), '--data-dir', place('new'))).toHaveLength(1);
});

describeWithEtcd('with an etcd', (etcd) => {
  test('a copy begins while the store is open, is finished when it is closed, and can be copied back', async () => {
    const there = etcd().endpoint;
    {
      await using _store = await openFilled();
      expect(await run('copy', '--from', place('data'), '--to', there)).toEqual([
        expect.stringMatching(/^copied 2 objects of revision 2, 2 of them now; goes on at revision \d+$/),
        expect.stringContaining('Stop the source and run the same command again'),
      ]);
    }
    expect(await run('copy', '--from', place('data'), '--to', there)).toEqual([
      expect.stringMatching(/^copied 2 objects of revision 2, 0 of them now/),
    ]);
    expect((await run('copy', '--from', place('data'), '--to', there)).at(-1)).toContain('it has keys that begin with');
    expect(await run('snapshot', place('s'), '--etcd-servers', there)).toEqual([
      expect.stringMatching(/^\/s: 2 objects at revision \d+$/),
    ]);
    expect(await run('restore', place('s'), '--data-dir', place('back'))).toHaveLength(1);
    expect((await run('dump', '--data-dir', place('back'))).join()).toContain('ConfigMap');
    const elsewhere = ['--etcd-servers', there, '--etcd-prefix', '/other'];
    expect(await run('restore', place('s'), ...elsewhere)).toEqual([
      expect.stringMatching(/^restored 2 objects at revision \d+ into etcd$/),
      expect.stringContaining('clients that have seen revisions above'),
    ]);
  });
});
