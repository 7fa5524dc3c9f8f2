import { describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { del, expectFailure, put, text, WatchReader, write } from '../testing/store-under-test.ts';

const ALL = prefixRange('/');

describe('a durable store that is reopened', () => {
  test('has its keys and their revisions, and continues the sequence', async () => {
    await using folder = await DurableFolder.make();
    const before = await folder.during(async (store) => {
      await write(store, put('/a', '1'), put('/b', '1'));
      await write(store, put('/a', '2'));
      await write(store, del('/b'), put('/ä😀', ''));
      return store.rangeNow(ALL).entries.map((entry) => ({ ...entry, value: text(entry) }));
    });

    await folder.during(async (store) => {
      expect(store.rangeNow(ALL).entries.map((entry) => ({ ...entry, value: text(entry) }))).toEqual(before);
      expect(store.readNow('/a')).toMatchObject({ createRevision: 1, modRevision: 2 });
      expect(await write(store, put('/c', '4'))).toBe(4);
    });
    await folder.during(async (store) => expect(store.revisionNow()).toBe(4));
  });

  test('has its history: reads at old revisions and watches from before the restart continue', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      await write(store, put('/a', '1'));
      await write(store, put('/a', '2'), put('/b', '2'));
      await write(store, del('/a'));
    });

    await folder.during(async (store) => {
      expect((await store.range(ALL, { at: 2 })).entries.map(text)).toEqual(['2', '2']);
      expect(await store.get('/a', { at: 3 })).toBeUndefined();
      const reader = new WatchReader(store, ALL, 2);
      const lines = reader.until(4);
      await write(store, put('/a', '4'));
      expect(await lines).toEqual(['put /a=2@2 was 1@1', 'put /b=2@2', 'delete /a@3 was 2@2', 'put /a=4@4']);
      await reader.end();
    });
  });

  test('has its history also when it was read from a checkpoint, within the history limits', async () => {
    await using folder = await DurableFolder.make();
    const options = { segmentBytes: 1000, checkpointAfterBytes: 1, history: { maxRevisions: 10 } };
    await folder.during(async (store) => {
      for (let count = 1; count <= 50; count++)
        await write(store, put(`/key-${count % 7}`, `${count}`), put('/pad', 'x'.repeat(200)));
      await store.checkpoint();
    }, options);
    expect(await folder.names('checkpoint-')).toEqual(['checkpoint-0000000000000040']);

    await folder.during(async (store) => {
      expect(store.revisionNow()).toBe(50);
      expect((await store.range(prefixRange('/key-'), { at: 45 })).entries.map(text)).toEqual([
        '42',
        '43',
        '44',
        '45',
        '39',
        '40',
        '41',
      ]);
      await expectFailure('Compacted', store.get('/key-1', { at: 39 }));
      await expectFailure('Compacted', new WatchReader(store, ALL, 40).batch());
      const reader = new WatchReader(store, prefixRange('/key-'), 41);
      expect((await reader.until(50))[0]).toBe('put /key-6=41@41 was 34@34');
      await reader.end();
    }, options);
  });

  test('remembers compactions, before and after a checkpoint', async () => {
    await using folder = await DurableFolder.make();
    const expectCompacted = async (): Promise<void> =>
      folder.during(async (store) => {
        await expectFailure('Compacted', store.get('/a', { at: 2 }));
        await expectFailure('Compacted', new WatchReader(store, ALL, 2).batch());
        expect(text(await store.get('/a', { at: 3 }))).toBe('3');
        const reader = new WatchReader(store, ALL, 3);
        expect(await reader.until(4)).toEqual(['put /a=3@3 was 2@2', 'put /a=4@4 was 3@3']);
        await reader.end();
      });
    await folder.during(async (store) => {
      for (const value of ['1', '2', '3', '4']) await write(store, put('/a', value));
      await store.compact(3);
    });

    await expectCompacted();
    await folder.during((store) => store.checkpoint());
    expect(await folder.names('checkpoint-')).toHaveLength(1);
    await expectCompacted();
  });

  test('has its deadlines, which also passed while it was closed', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      await write(store, put('/minute', '1', 60), put('/hour', '1', 3600), put('/ever', '1'));
      await write(store, put('/renewed', '1', 60));
      await write(store, put('/renewed', '2', 7200));
      await store.compact(3);
      await store.checkpoint();
    });
    await folder.clock.advance('30m');

    await folder.during(async (store) => {
      await folder.clock.advance(0);
      expect(store.rangeNow(ALL).entries.map((entry) => entry.key)).toEqual(['/ever', '/hour', '/renewed']);
      await folder.clock.advance('40m');
      expect(store.rangeNow(ALL).entries.map((entry) => entry.key)).toEqual(['/ever', '/renewed']);
    });
    await folder.during(async (store) => expect(store.rangeNow(ALL).count).toBe(2));
  });

  test('drops history that became too old while it was closed', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      await write(store, put('/a', '1'));
      await write(store, put('/a', '2'));
    });
    await folder.clock.advance('1h');

    await folder.during(async (store) => {
      await write(store, put('/a', '3'));
      await expectFailure('Compacted', store.get('/a', { at: 1 }));
      expect(text(await store.get('/a', { at: 3 }))).toBe('3');
    });
  });

  test('checkpoints keep the folder from growing, in the background', async () => {
    await using folder = await DurableFolder.make();
    const options = { segmentBytes: 20_000, checkpointAfterBytes: 20_000, history: { maxRevisions: 20 } };
    await folder.during(async (store) => {
      for (let count = 0; count < 600; count++)
        await write(store, put(`/key-${count % 10}`, `${count} ${'x'.repeat(1000)}`));
    }, options);

    const checkpoints = await folder.names('checkpoint-');
    expect(checkpoints).toHaveLength(1);
    expect((await folder.names('log-')).length).toBeLessThan(10);
    expect(
      await folder.during(
        async (store) => store.rangeNow(ALL).entries.map((entry) => text(entry)?.split(' ')[0]),
        options,
      ),
    ).toEqual(['590', '591', '592', '593', '594', '595', '596', '597', '598', '599']);
  });

  test('obsolete files are removed after some time, however small they are', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      for (let count = 0; count < 20; count++) await write(store, put('/a', 'x'.repeat(100_000)));
      await folder.clock.advance('4m');
      await write(store, put('/a', 'early'));
      expect(await folder.names('log-')).toEqual(['log-0000000001']);

      await folder.clock.advance('6m');
      for (let count = 0; count < 500 && (await folder.names('log-')).includes('log-0000000001'); count++)
        await write(store, put('/a', `late ${count}`));
      expect(await folder.names('log-')).toEqual(['log-0000000002']);
      expect(await folder.names('checkpoint-')).toHaveLength(1);
    });
  });

  test('incomplete files and unrelated files do no harm', async () => {
    await using folder = await DurableFolder.make();
    await folder.during((store) => write(store, put('/a', '1')));
    await folder.write('checkpoint-0000000000000007.new', Buffer.from('half'));
    await folder.write('log-0000000002.new', Buffer.alloc(10));
    await folder.write('notes.txt', Buffer.from('mine'));

    await folder.during(async (store) => expect(text(store.readNow('/a'))).toBe('1'));

    expect(await folder.names('checkpoint-')).toEqual([]);
    expect(await folder.names('log-')).toEqual(['log-0000000001']);
    expect((await folder.read('notes.txt')).toString()).toBe('mine');
  });

  test('obsolete segments left behind by a crash are skipped', async () => {
    await using folder = await DurableFolder.make();
    const options = { segmentBytes: 1000, checkpointAfterBytes: 1e9, history: { maxRevisions: 2 } };
    const kept = new Map<string, Buffer>();
    await folder.during(async (store) => {
      for (let count = 1; count <= 20; count++) await write(store, put(`/key-${count}`, 'x'.repeat(200)));
      for (const name of await folder.names('log-')) kept.set(name, await folder.read(name));
      await store.checkpoint();
    }, options);
    const left = new Set(await folder.names('log-'));
    expect(left.size).toBeLessThan(kept.size);
    for (const [name, content] of kept) if (!left.has(name)) await folder.write(name, content);
    await folder.remove([...kept.keys()][1] as string);

    await folder.during(async (store) => expect(store.rangeNow(ALL).count).toBe(20), options);

    expect(new Set(await folder.names('log-'))).toEqual(left);
  });
});
