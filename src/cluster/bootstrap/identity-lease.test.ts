import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discardLogger, SeededRandom, settle, VirtualClock } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { ControlPlane } from '../control-plane.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { serverIdentity } from './identity-lease.ts';

const IDENTITY = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };

test('a server has the name that kube-apiserver would have on the machine', () => {
  expect(serverIdentity('vm')).toBe('apiserver-wlv32tlttr4jl3gtroqexyxapa'); // as a real server has it
});

describe('the identity lease', () => {
  let clock: VirtualClock;
  let plane: ControlPlane;
  let client: Client;
  let stop: AbortController;
  beforeEach(async () => {
    clock = new VirtualClock();
    stop = new AbortController();
    plane = await startControlPlane({
      name: 'test',
      storage: { type: 'memory' },
      serving: { listen: { host: '127.0.0.1', port: 0 } },
      hostname: 'machine-1',
      runtimeConfig: new Map(),
      serviceCidrs: ['10.96.0.0/16'],
      clock,
      random: new SeededRandom(1),
      log: discardLogger,
      signal: stop.signal,
    });
    client = plane.client({ user: 'admin', groups: ['system:masters'] });
    await settle();
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    const ended = plane[Symbol.asyncDispose]();
    await clock.advance('1m');
    await ended;
  });

  test('says which server it is, is renewed, and goes when the server stops', async () => {
    const leases = client.coordination.v1.leases.namespace('kube-system');
    const name = serverIdentity('machine-1');
    const first = await leases.get(name);
    expect(first.metadata.labels).toEqual({ ...IDENTITY, 'kubernetes.io/hostname': 'machine-1' });
    expect(first.metadata.annotations?.['kubernetes.io/peer-advertise-address']).toBe(
      plane.url.replace('https://', ''),
    );
    expect(first.spec?.holderIdentity).toMatch(new RegExp(`^${name}_[0-9a-f-]{36}$`));
    expect(first.spec?.leaseDurationSeconds).toBe(3600);
    await clock.advance('11s');
    const renewed = await leases.get(name);
    expect(renewed.spec?.holderIdentity).toBe(first.spec?.holderIdentity);
    expect(renewed.spec?.renewTime).not.toBe(first.spec?.renewTime);
    stop.abort();
    await settle();
    expect((await leases.list()).items).toEqual([]);
  });

  test('leases of servers that were not renewed for an hour are removed, others are not', async () => {
    const leases = client.coordination.v1.leases.namespace('kube-system');
    const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 3600, renewTime };
    await leases.create({ metadata: { name: 'apiserver-gone', labels: IDENTITY }, spec });
    await leases.create({ metadata: { name: 'apiserver-unclear', labels: IDENTITY }, spec: {} });
    await leases.create({ metadata: { name: 'something-else' }, spec });
    await clock.advance('2h');
    expect((await leases.list()).items.map(({ metadata }) => metadata.name)).toEqual([
      serverIdentity('machine-1'),
      'something-else',
    ]);
  });
});
