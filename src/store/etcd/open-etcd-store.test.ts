import { expect, test, vi } from 'vitest';
import { CryptoRandom, LineLogger, RealClock } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import { expectFailure, put, text, write } from '../testing/store-under-test.ts';
import { openEtcdStore } from './open-etcd-store.ts';
import { describeWithEtcd, openStore } from './testing/describe-with-etcd.ts';
import { freePorts } from './testing/free-ports.ts';

const parts = { clock: new RealClock(), random: new CryptoRandom() };

describeWithEtcd('openEtcdStore()', (etcd) => {
  test('waits for an etcd that is away, logs that, and continues when it answers', async () => {
    const lines: string[] = [];
    const log = new LineLogger({ clock: parts.clock, level: 'warn', write: (line) => lines.push(line) });
    const { endpoint } = etcd();
    await etcd().kill();

    const opening = openEtcdStore({ ...parts, endpoints: [endpoint], log, signal: new AbortController().signal });
    await vi.waitFor(() => expect(lines.join('')).toMatch(/"waiting for etcd".*ECONNREFUSED/), 120_000);
    await etcd().restart();
    await using store = await opening;

    expect(await store.revision()).toBeGreaterThan(0);
    expect(lines.join('')).toContain('etcd answers');
  });

  test('stops waiting when its signal aborts', async () => {
    const [port] = await freePorts(1);
    const stop = new AbortController();
    const options = { ...parts, endpoints: [`http://127.0.0.1:${port}`], signal: stop.signal };
    const opening = openEtcdStore(options);
    stop.abort(new Error('enough'));

    await expect(opening).rejects.toThrow('enough');
  });

  test('opens a store that several servers can share', async () => {
    const options = { ...parts, endpoints: [etcd().endpoint] };
    await using first = await openEtcdStore(options);
    await using second = await openEtcdStore(options);

    await write(first, put('/registry/pods/a', '1'));

    expect(text(await second.get('/registry/pods/a'))).toBe('1');
    await write(second, put('/registry/pods/a', '2'));
    expect((await first.range(prefixRange('/registry/pods/'))).entries.map(text)).toEqual(['2']);
  });

  test('keeps two clusters apart by their prefixes', async () => {
    const open = (prefix: string) => openEtcdStore({ ...parts, endpoints: [etcd().endpoint], prefix });
    await using one = await open('/one');
    await using two = await open('/two');
    await write(one, put('/registry/pods/a', 'of one'));
    await write(two, put('/registry/pods/a', 'of two'));

    expect((await one.range(prefixRange('/registry/'))).entries.map(text)).toEqual(['of one']);
    expect((await two.range(prefixRange('/registry/'))).entries.map(text)).toEqual(['of two']);
    await using all = openStore(etcd());
    expect(text(await all.get('/one/pods/a'))).toBe('of one');
  });
});

test('an etcd that does not exist is Unavailable', async () => {
  const [port] = await freePorts(1);
  const options = { ...parts, endpoints: [`http://127.0.0.1:${port}`], requestTimeout: 100 };

  await expectFailure('Unavailable', openEtcdStore(options));
  await expect(openEtcdStore({ ...parts, endpoints: [] })).rejects.toThrow(/no endpoint/);
});
