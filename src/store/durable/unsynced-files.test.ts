import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { put, text, write } from '../testing/store-under-test.ts';
import { openFolder } from './node-files.ts';
import { openDurableStore } from './open-durable-store.ts';
import { withoutSync } from './unsynced-files.ts';

test('a store that does not wait for the disk has its keys when it is reopened', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-unsynced-'));
  const options = { clock: new RealClock(), random: new CryptoRandom() };
  {
    await using store = await openDurableStore(folder, { ...options, syncs: false });
    await write(store, put('/a', '1'));
  }
  await using store = await openDurableStore(folder, options);
  expect(text(await store.get('/a'))).toBe('1');
  await rm(folder, { recursive: true });
});

test('no sync is ever requested', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-unsynced-'));
  const real = await openFolder(folder);
  const syncs: string[] = [];
  const files = withoutSync({
    ...real,
    folder,
    list: () => real.list(),
    syncFolder: async () => void syncs.push('folder'),
    create: async (name) => {
      const file = await real.create(name);
      return {
        ...file,
        write: (data, position) => file.write(data, position),
        close: () => file.close(),
        sync: async () => void syncs.push(name),
      };
    },
  });
  const file = await files.create('a');
  await file.write(Buffer.from('1'), 0);
  await file.sync();
  await files.syncFolder();
  await file.close();
  expect([syncs, await files.list()]).toEqual([[], ['a']]);
  await rm(folder, { recursive: true });
});
