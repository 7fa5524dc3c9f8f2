import { expect, test } from 'vitest';
import type { Client } from '../../client/index.ts';
import { type RunningApp, runApp } from '../../kit/testing/running-app.ts';
import { serviceProxy, type ServiceProxyOptions, type ServiceProxyState } from './service-proxy.ts';
import type { ServiceUpdate } from './service-update.ts';
import { serviceOf, sliceOf } from './testing/services.ts';

interface Trial extends AsyncDisposable {
  readonly running: RunningApp;
  readonly state: ServiceProxyState;
  /** What has been synced since the last look: `full default/web:http/TCP[10.0.0.1]`. */
  synced(): readonly string[];
}

const NODE = { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'a' } } };
const ADDRESSES = { status: { addresses: [{ type: 'InternalIP' as const, address: '192.0.2.1' }] } };

async function trial(options: Partial<ServiceProxyOptions> = {}, hasNode = true): Promise<Trial> {
  const log: string[] = [];
  let state: ServiceProxyState | undefined;
  const part = serviceProxy({
    node: 'n1',
    families: ['IPv4'],
    sync: async (update) => void log.push(textOf(update)),
    onPrepared: (prepared) => void (state = prepared),
    ...options,
  });
  const running = await runApp([part], async (client) => {
    if (hasNode) await makeNode(client);
  });
  if (state === undefined) throw new Error('the proxy was not prepared');
  return {
    running,
    state,
    synced: () => log.splice(0),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

async function makeNode(client: Client): Promise<void> {
  const { nodes } = client.core.v1;
  await nodes.create(NODE);
  await nodes.status.update({ ...(await nodes.get('n1')), ...ADDRESSES });
}

function textOf({ isFull, changes }: ServiceUpdate): string {
  const texts = changes.map(({ name, after }) =>
    after === undefined
      ? `${name} gone`
      : `${name}[${after.endpoints.cluster.map(({ address }) => address).join(' ')}]`,
  );
  return [isFull ? 'full' : 'changes', ...texts.toSorted()].join(' ');
}

const services = (client: Client) => client.core.v1.services.namespace('default');
const slices = (client: Client) => client.discovery.v1.endpointslices.namespace('default');

test('everything at the start, then what has changed, together when it changed together', async () => {
  await using made = await trial();
  const { client, clock } = made.running;
  expect(made.synced()).toEqual(['full default/kubernetes:https/TCP[127.0.0.1]']);

  await services(client).create(serviceOf('web', { clusterIP: '10.96.0.80' }));
  await slices(client).create(sliceOf('web', [{ addresses: ['10.0.0.1'] }]));
  await services(client).create(serviceOf('headless', { clusterIP: 'None' }));
  const labels = { 'service.kubernetes.io/service-proxy-name': 'other' };
  await services(client).create(serviceOf('other', { clusterIP: '10.96.0.81' }, { metadata: { labels } }));
  await made.running.settle();
  expect(made.synced()).toEqual([]); // the last sync is less than a second ago
  await clock.advance(1000);
  await made.running.settle();
  expect(made.synced()).toEqual(['changes default/web:http/TCP[10.0.0.1]']);

  await services(client).delete('web');
  await clock.advance(1000);
  await made.running.settle();
  expect(made.synced()).toEqual(['changes default/web:http/TCP gone']);
});

test('a sync that fails is made again with everything, and the proxy is unhealthy meanwhile', async () => {
  const calls: string[] = [];
  let isBroken = false;
  await using made = await trial({
    sync: async (update) => {
      calls.push(textOf(update));
      if (isBroken) throw new Error('no');
    },
  });
  const { client, clock } = made.running;
  calls.length = 0;
  isBroken = true;
  await clock.advance(1000);
  await services(client).create(serviceOf('web', { clusterIP: '10.96.0.80' }));
  await made.running.settle();
  expect(calls.splice(0)).toEqual(['changes default/web:http/TCP[]']);
  expect(made.state.health.report().isHealthy).toBe(true);

  await clock.advance(30_000);
  await made.running.settle();
  expect(calls.splice(0)).toEqual(['full default/kubernetes:https/TCP[127.0.0.1] default/web:http/TCP[]']);
  await clock.advance(30_000);
  await made.running.settle();
  expect(made.state.health.report()).toMatchObject({ isHealthy: false });

  isBroken = false;
  await clock.advance(30_000);
  await made.running.settle();
  expect(made.state.health.report()).toMatchObject({ isHealthy: true, lastUpdatedMs: clock.now() });
  expect(made.running.app.metrics).toContain(
    'kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family="IPv4"} 2',
  );
});

test('rules that are found missing are made again', async () => {
  let isThere = true;
  await using made = await trial({ check: async () => isThere });
  made.synced();
  await made.running.clock.advance(60_000);
  await made.running.settle();
  expect(made.synced()).toEqual([]);
  isThere = false;
  await made.running.clock.advance(30_000);
  await made.running.settle();
  expect(made.synced()).toEqual(['full default/kubernetes:https/TCP[127.0.0.1]']);
});

test('the first sync waits for the address of the node, for 30 seconds', async () => {
  await using made = await trial({}, false);
  await made.running.clock.advance(29_000);
  await made.running.settle();
  expect(made.synced()).toEqual([]);
  await makeNode(made.running.client);
  await made.running.settle();
  expect(made.synced()).toEqual(['full default/kubernetes:https/TCP[127.0.0.1]']);
  expect(made.state.node).toMatchObject({ zone: 'a', addresses: { IPv4: '192.0.2.1' }, isEligible: true });

  await using late = await trial({}, false);
  await late.running.clock.advance(30_000);
  await late.running.settle();
  expect(late.synced()).toEqual(['full default/kubernetes:https/TCP[127.0.0.1]']);
  expect(late.state.node.isEligible).toBe(false);
});

test('another address of the node, or another range of Services, makes everything again', async () => {
  const seen: ServiceUpdate[] = [];
  await using made = await trial({ sync: async (update) => void seen.push(update) });
  const { client, clock } = made.running;
  expect(seen.at(-1)).toMatchObject({ serviceCidrs: ['10.96.0.0/16'], node: { addresses: { IPv4: '192.0.2.1' } } });
  const { nodes } = client.core.v1;
  const addresses = [{ type: 'InternalIP' as const, address: '192.0.2.9' }];
  await nodes.status.update({ ...(await nodes.get('n1')), status: { addresses } });
  await clock.advance(1000);
  await made.running.settle();
  expect(seen.at(-1)).toMatchObject({ isFull: true, node: { addresses: { IPv4: '192.0.2.9' } } });

  await client.networking.v1.servicecidrs.create({ metadata: { name: 'more' }, spec: { cidrs: ['10.97.0.0/16'] } });
  await clock.advance(1000);
  await made.running.settle();
  expect(seen.at(-1)).toMatchObject({ isFull: true, serviceCidrs: ['10.96.0.0/16', '10.97.0.0/16'] });
});

test('the time from a change of pods to the rules is counted', async () => {
  await using made = await trial();
  const { client, clock } = made.running;
  await clock.advance(1000);
  await made.running.settle();
  await services(client).create(serviceOf('web', { clusterIP: '10.96.0.80' }));
  await made.running.settle();
  const slice = sliceOf('web', [{ addresses: ['10.0.0.1'] }]);
  const annotations = { 'endpoints.kubernetes.io/last-change-trigger-time': new Date(clock.now()).toISOString() };
  await slices(client).create({ ...slice, metadata: { ...slice.metadata, annotations } });
  await clock.advance(1000);
  await made.running.settle();
  expect(made.running.app.metrics).toContain(
    'kubeproxy_network_programming_duration_seconds_sum{ip_family="IPv4"} 1\n',
  );
});
