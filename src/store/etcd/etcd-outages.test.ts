import { describe, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { findTool } from '../../base/testing/find-tool.ts';
import { requires } from '../../base/testing/requires.ts';
import { prefixRange } from '../key-range.ts';
import type { Store } from '../store.ts';
import { expectFailure, put, text, write } from '../testing/store-under-test.ts';
import { EtcdStore } from './etcd-store.ts';
import { TestProxy } from '../../wire/testing/test-proxy.ts';
import { MirrorStore } from '../mirror/mirror-store.ts';
import { describeWithEtcd, openStore } from './testing/describe-with-etcd.ts';
import { EtcdProcess } from './testing/etcd-process.ts';
import { freePorts } from './testing/free-ports.ts';
import { RecordedWatch } from './testing/recorded-watch.ts';
import { RecordedWriter } from './testing/recorded-writer.ts';

const RANGE = prefixRange('/registry/');

/**
 * Kills and restarts etcd a few times while four writers write and two watches run, then compares what they recorded.
 */
async function surviveRestarts(store: Store, etcd: EtcdProcess, prefix: string): Promise<void> {
  const from = (await store.revision()) + 1;
  const early = new RecordedWatch(store, prefixRange(prefix), from);
  const writers = ['a', 'b', 'c', 'd'].map((name) => new RecordedWriter(store, prefix + name));
  let isDone = false;
  const writing = Promise.all(writers.map((writer) => writer.writeUntil(() => isDone)));
  const acknowledged = (): number => writers.reduce((sum, writer) => sum + writer.acknowledged.size, 0);
  for (let round = 1; round <= 3; round++) {
    const before = acknowledged();
    await new RecordedWriter(store, `${prefix}pace`).writeUntil(() => acknowledged() > before + 40);
    await etcd.kill();
    await etcd.restart();
  }
  const before = acknowledged();
  await new RecordedWriter(store, `${prefix}pace`).writeUntil(() => acknowledged() > before + 40);
  isDone = true;
  await writing;

  const last = await write(store, put(`${prefix}end`, 'end'));
  await early.reached(last);
  const late = new RecordedWatch(store, prefixRange(prefix), from);
  await late.reached(last);
  expect([...late.values]).toEqual([...early.values]);
  for (const writer of writers) {
    for (const [value, revision] of writer.acknowledged) expect(early.values.get(value), value).toBe(revision);
  }
  const known = new Set(writers.flatMap((writer) => [...writer.acknowledged.keys(), ...writer.unknown]));
  const delivered = [...early.values.keys()].filter((value) => !/(?:pace|end)/.test(value));
  expect(delivered.filter((value) => !known.has(value))).toEqual([]);
  await early.end();
  await late.end();
}

describeWithEtcd('an etcd that is killed and started again', (etcd) => {
  test('loses no acknowledged write and no event of the etcd store', async () => {
    await using store = openStore(etcd());

    await surviveRestarts(store, etcd(), '/direct/');
  });

  test('loses no acknowledged write and no event of the mirror store', async () => {
    await using store = new MirrorStore(openStore(etcd()));

    await surviveRestarts(store, etcd(), '/registry/');
    const { entries } = await store.range(RANGE);
    await using fresh = openStore(etcd());
    expect(entries.map((entry) => [entry.key, text(entry)])).toEqual(
      (await fresh.range(RANGE)).entries.map((entry) => [entry.key, text(entry)]),
    );
  });

  test('leaves the mirror readable with notOlderThan while it is away', async () => {
    await using store = new MirrorStore(openStore(etcd(), { requestTimeout: 200 }));
    const revision = await write(store, put('/registry/kept', '1'));
    const ahead = revision + 1;
    await store.checkHealth();
    await etcd().kill();

    expect(text(await store.get('/registry/kept', { notOlderThan: 0 }))).toBe('1');
    expect((await store.range(RANGE, { notOlderThan: revision })).entries.map(text)).toContain('1');
    expect(await store.revision({ notOlderThan: 0 })).toBeGreaterThanOrEqual(revision);
    await expectFailure('Unavailable', store.get('/registry/kept'));
    await expectFailure('Unavailable', store.get('/registry/kept', { notOlderThan: ahead }));
    await expectFailure('Unavailable', store.checkHealth());

    await etcd().restart();
    await store.checkHealth();
  });

  test('is Unavailable while it is away, and the error says that nothing was written', async () => {
    await using store = openStore(etcd(), { requestTimeout: 200 });
    await write(store, put('/away', '1'));
    await etcd().kill();

    await expectFailure('Unavailable', store.get('/away'));
    await expect(write(store, put('/away', '2'))).rejects.toThrow(/nothing was written/);

    await etcd().restart();
    expect(text(await store.get('/away'))).toBe('1');
  });
});

describeWithEtcd('an etcd that does not answer', (etcd) => {
  test('leaves the outcome of a commit unknown, and never applies it twice', async () => {
    await using proxy = await TestProxy.start(etcd().endpoint);
    await using store = openStore(etcd(), { endpoints: [proxy.address], requestTimeout: 300 });
    await using other = openStore(etcd());
    const key = '/a';
    await write(store, put(key, '1', 3600));
    proxy.stall();

    await expect(write(store, put(key, '2'))).rejects.toThrow(/the outcome is unknown/);
    await expect(write(store, put(key, '3', 60))).rejects.toThrow(
      /get a lease for the transaction, which was not sent/,
    );
    await expectFailure('Unavailable', store.get(key));

    expect(['1', '2']).toContain(text(await other.get(key)));
  });
});

describeWithEtcd('an etcd cluster of which an endpoint is dead', (etcd) => {
  test('is replaced by the other endpoints', async () => {
    const dead = (await freePorts(3)).map((port) => `http://127.0.0.1:${port}`);
    const endpoints = [dead[0] as string, dead[1] as string, etcd().endpoint, dead[2] as string];
    await using store = new EtcdStore({ endpoints, clock: new RealClock(), random: new CryptoRandom() });

    const revision = await write(store, put('/a', '1'));

    expect(await store.get('/a')).toMatchObject({ key: '/a', modRevision: revision });
  });
});

describe('an etcd cluster of three', requires('etcd'), () => {
  test('continues, with its watches, when a member is killed', async () => {
    await using cluster = await EtcdProcess.startCluster(3, { binary: findTool('etcd') ?? '' });
    const { members } = cluster;
    await using store = openStore(members);
    await using mirror = new MirrorStore(openStore(members));
    const from = (await store.revision()) + 1;
    const watches = [new RecordedWatch(store, RANGE, from), new RecordedWatch(mirror, RANGE, from)];
    const writer = new RecordedWriter(store, '/registry/a');
    await writer.writeUntil(() => writer.acknowledged.size >= 20);

    for (const member of members) {
      await member.kill();
      const enough = writer.acknowledged.size + 20;
      await writer.writeUntil(() => writer.acknowledged.size >= enough);
      expect(text(await mirror.get('/registry/a'))).toBe([...writer.acknowledged.keys()].at(-1));
      await member.restart();
    }

    const last = await write(store, put('/registry/end', 'end'));
    for (const watch of watches) {
      await watch.reached(last);
      for (const [value, revision] of writer.acknowledged) expect(watch.values.get(value), value).toBe(revision);
      await watch.end();
    }
  });
});
