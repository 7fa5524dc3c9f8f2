import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discardLogger, SeededRandom, settle, VirtualClock } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { mergePatch } from '../../client/index.ts';
import type { ControlPlane } from '../control-plane.ts';
import { startControlPlane } from '../start-control-plane.ts';

describe('the objects that the server makes for itself', () => {
  let clock: VirtualClock;
  let plane: ControlPlane;
  let client: Client;
  beforeEach(async () => {
    clock = new VirtualClock();
    plane = await startControlPlane({
      name: 'test',
      storage: { type: 'memory' },
      serving: { listen: { host: '127.0.0.1', port: 0 } },
      runtimeConfig: new Map(),
      serviceCidrs: ['10.96.0.0/16'],
      clock,
      random: new SeededRandom(1),
      log: discardLogger,
      signal: new AbortController().signal,
    });
    client = plane.client({ user: 'admin', groups: ['system:masters'] });
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    const ended = plane[Symbol.asyncDispose]();
    await clock.advance('1m');
    await ended;
  });

  test('the ServiceCIDR has its finalizer and is ready', async () => {
    const { metadata, status } = await client.networking.v1.servicecidrs.get('kubernetes');

    expect(metadata.finalizers).toEqual(['networking.k8s.io/service-cidr-finalizer']);
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', message: 'Kubernetes default Service CIDR is ready' },
    ]);
  });

  test('come again when they are deleted', async () => {
    const { core, discovery, networking } = client;
    const service = core.v1.services.namespace('default');
    const slices = discovery.v1.endpointslices.namespace('default');
    const endpoints = core.v1.endpoints.namespace('default');
    const configMaps = core.v1.configmaps.namespace('kube-system');
    const before = await slices.get('kubernetes');
    await service.delete('kubernetes');
    await slices.delete('kubernetes');
    await endpoints.delete('kubernetes');
    await configMaps.delete('extension-apiserver-authentication');
    await networking.v1.servicecidrs.patch('kubernetes', mergePatch({ metadata: { finalizers: null } }));
    await settle();
    await clock.advance('1s');
    const finalizers = (await networking.v1.servicecidrs.get('kubernetes')).metadata.finalizers;

    expect((await service.get('kubernetes')).spec?.clusterIP).toBe('10.96.0.1');
    const after = await slices.get('kubernetes');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.endpoints).toEqual(before.endpoints);
    expect((await endpoints.get('kubernetes')).subsets).toHaveLength(1);
    expect((await configMaps.get('extension-apiserver-authentication')).data?.['client-ca-file']).toContain('BEGIN');
    expect(finalizers).toEqual(['networking.k8s.io/service-cidr-finalizer']);
  });

  test('are repaired when a client changes where they lead; other changes stay', async () => {
    const slices = client.discovery.v1.endpointslices.namespace('default');
    const endpoints = client.core.v1.endpoints.namespace('default');
    const services = client.core.v1.services.namespace('default');
    const before = await slices.get('kubernetes');
    const wrong = [{ addresses: ['192.0.2.7'], conditions: { ready: true } }];
    await slices.patch('kubernetes', mergePatch({ endpoints: wrong, metadata: { labels: { own: 'yes' } } }));
    await endpoints.patch('kubernetes', mergePatch({ subsets: null, metadata: { labels: null } }));
    await services.patch('kubernetes', mergePatch({ spec: { sessionAffinity: 'ClientIP' } }));
    await settle();

    const after = await slices.get('kubernetes');
    expect(after.endpoints).toEqual(before.endpoints);
    expect(after.metadata.labels).toEqual({ ...before.metadata.labels, own: 'yes' });
    const { subsets, metadata } = await endpoints.get('kubernetes');
    expect(subsets?.[0]?.addresses).toEqual([{ ip: '127.0.0.1' }]);
    expect(metadata.labels).toEqual({ 'endpointslice.kubernetes.io/skip-mirror': 'true' });
    expect((await services.get('kubernetes')).spec?.sessionAffinity).toBe('ClientIP');
  });

  test('a client that keeps undoing a repair is answered once a second', async () => {
    const slices = client.discovery.v1.endpointslices.namespace('default');
    await slices.delete('kubernetes');
    await settle();
    await slices.delete('kubernetes');
    await settle();
    await expect(slices.get('kubernetes')).rejects.toThrow(/not found/);
    await clock.advance('1s');

    expect((await slices.get('kubernetes')).endpoints).toHaveLength(1);
  });

  test('cost nothing while no client changes them', async () => {
    await settle();
    const { resourceVersion } = await client.core.v1.namespaces.list();
    const leases = client.coordination.v1.leases.namespace('kube-system');
    await clock.advance('2h');

    const { items } = await leases.list();
    expect(items.map(({ spec }) => spec?.leaseDurationSeconds)).toEqual([3600]); // the server's own, renewed every ten seconds
    const writes = Number((await client.core.v1.namespaces.list()).resourceVersion) - Number(resourceVersion);
    expect(writes).toBeGreaterThan(690);
    expect(writes).toBeLessThanOrEqual(720);
  });

  test('the day since when old tokens are tracked is put right when it is no day', async () => {
    const configMaps = client.core.v1.configmaps.namespace('kube-system');
    const name = 'kube-apiserver-legacy-service-account-token-tracking';
    const { data } = await configMaps.get(name);
    expect(data).toEqual({ since: new Date(clock.now()).toISOString().slice(0, 10) });
    await configMaps.patch(name, mergePatch({ data: { since: '2001-02-03', other: 'stays' } }));
    await settle();
    expect((await configMaps.get(name)).data).toEqual({ since: '2001-02-03', other: 'stays' });
    await configMaps.patch(name, mergePatch({ data: { since: 'yesterday' } }));
    await settle();
    expect((await configMaps.get(name)).data).toEqual({ ...data, other: 'stays' });
  });

  test('a namespace that the system needs comes again', async () => {
    const { store } = plane.server.objects;
    await store.commit({
      conditions: [],
      operations: [{ type: 'delete', key: '/registry/namespaces/kube-node-lease' }],
    });
    await settle();

    expect((await client.core.v1.namespaces.get('kube-node-lease')).status?.phase).toBe('Active');
  });
});
