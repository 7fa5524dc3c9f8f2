import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../../api/types/core/v1.d.ts';
import { Endpoints, EndpointSlice, Service } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

const web: EndpointPort = { name: 'web', port: 80 };
const ports = [web];

function ips(...list: string[]): EndpointAddress[] {
  return list.map((ip) => ({ ip }));
}

async function service(world: ScenarioWorld, more: object = {}): Promise<void> {
  await world.create(Service, { metadata: { name: 'db' }, spec: { ports: [{ name: 'web', port: 80 }], ...more } });
}

async function endpoints(world: ScenarioWorld, subsets: EndpointSubset[], metadata: object = {}): Promise<void> {
  await world.create(Endpoints, { metadata: { name: 'db', ...metadata }, subsets });
}

async function firstSlice(world: ScenarioWorld): Promise<string> {
  const { items } = await world.of(EndpointSlice).list();
  return items[0]?.metadata.name ?? '';
}

const scenarios: ScenarioTopic['scenarios'] = {
  'Endpoints of a Service without selector': async (world) => {
    await service(world);
    await endpoints(world, [{ addresses: ips('10.0.0.1', '10.0.0.2'), notReadyAddresses: ips('10.0.0.3'), ports }]);
    await world.look('mirrored');
    await world.change(Endpoints, 'db', { subsets: [{ addresses: ips('10.0.0.2', '10.0.0.4'), ports }] });
    await world.look('changed');
    await world.of(Endpoints).delete('db');
    await world.look('gone');
  },

  'Endpoints that come before the Service': async (world) => {
    await endpoints(world, [{ addresses: ips('10.0.0.1'), ports }]);
    await world.look('not mirrored');
    await service(world);
    await world.look('mirrored');
    await world.of(Service).delete('db');
    await world.look('gone');
  },

  'a Service that gets a selector': async (world) => {
    await service(world);
    await endpoints(world, [{ addresses: ips('10.0.0.1'), ports }]);
    await world.look('mirrored');
    await world.change(Service, 'db', { spec: { selector: { app: 'db' } } });
    await world.look('not any more');
    await world.change(Service, 'db', { spec: { selector: null } });
    await world.look('again');
  },

  'labels and annotations': async (world) => {
    await service(world);
    const labels = { tier: 'back', team: 'x' };
    const annotations = {
      note: 'x',
      'endpoints.kubernetes.io/last-change-trigger-time': '2020-01-01T00:00:00Z',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    };
    await endpoints(world, [{ addresses: ips('10.0.0.1'), ports }], { labels, annotations });
    await world.look('copied');
    const changed = { labels: { tier: 'front' }, annotations: { note: 'y', more: 'z' } };
    await world.change(Endpoints, 'db', { metadata: changed });
    await world.look('changed');
    await world.change(Endpoints, 'db', { metadata: { labels: null, annotations: null } });
    await world.look('none');
  },

  'Endpoints that are not to be mirrored': async (world) => {
    await service(world);
    const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
    await endpoints(world, [{ addresses: ips('10.0.0.1'), ports }], { labels });
    await world.look('skipped');
    await world.change(Endpoints, 'db', { metadata: { labels: null } });
    await world.look('mirrored');
    await world.change(Endpoints, 'db', { metadata: { labels } });
    await world.look('skipped again');
  },

  'Endpoints that serve an election': async (world) => {
    await service(world);
    const annotations = { 'control-plane.alpha.kubernetes.io/leader': '{}' };
    await endpoints(world, [{ addresses: ips('10.0.0.1'), ports }], { annotations });
    await world.look('skipped');
  },

  'addresses of both families': async (world) => {
    await service(world);
    await endpoints(world, [{ addresses: ips('10.0.0.1', 'fd00::1', 'FD00:0::2'), ports }]);
    await world.look('two slices');
    await world.change(Endpoints, 'db', { subsets: [{ addresses: ips('fd00::1'), ports }] });
    await world.look('one slice');
  },

  'several ports and subsets': async (world) => {
    await service(world);
    const other: EndpointPort = { name: 'metrics', port: 9090, protocol: 'UDP', appProtocol: 'example.com/x' };
    await endpoints(world, [
      { addresses: ips('10.0.0.1', '10.0.0.2'), ports: [web, other] },
      { addresses: ips('10.0.0.3'), ports },
    ]);
    await world.look('two slices');
    await world.change(Endpoints, 'db', { subsets: [{ addresses: ips('10.0.0.3'), ports: [other] }] });
    await world.look('one slice');
  },

  'an address that is ready and is not': async (world) => {
    await service(world);
    await endpoints(world, [
      { addresses: ips('10.0.0.1', '10.0.0.2'), ports },
      { notReadyAddresses: ips('10.0.0.1'), ports },
    ]);
    await world.look('one of them');
  },

  'addresses that say more': async (world) => {
    await service(world);
    const targetRef = { kind: 'Pod', namespace: world.namespace, name: 'p', uid: 'p-uid' };
    await endpoints(world, [{ addresses: [{ ip: '10.0.0.1', hostname: 'db-0', nodeName: 'n1', targetRef }], ports }]);
    await world.look('told');
    await world.change(EndpointSlice, await firstSlice(world), { endpoints: [] });
    await world.pass(2);
    await world.look('put right');
  },

  'a slice that is deleted comes again': async (world) => {
    await service(world);
    await endpoints(world, [{ addresses: ips('10.0.0.1'), ports }]);
    await world.of(EndpointSlice).delete(await firstSlice(world));
    await world.pass(2);
    await world.look('again');
  },

  'no ports, and no addresses': async (world) => {
    await service(world);
    await endpoints(world, [{ addresses: ips('10.0.0.1') }]);
    await world.look('no ports');
    await world.change(Endpoints, 'db', { subsets: null });
    await world.look('nothing');
  },

  'more addresses than are mirrored': async (world) => {
    await service(world);
    const many = Array.from({ length: 1003 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    await endpoints(world, [{ addresses: ips(...many), ports }]);
    const { items } = await world.of(EndpointSlice).list();
    const counts = items.map(({ endpoints: list }) => list?.length);
    world.note('how many', counts);
  },

  'another name for some host': async (world) => {
    await service(world, { type: 'ExternalName', externalName: 'example.com', ports: [] });
    await endpoints(world, [{ addresses: ips('10.0.0.1'), ports }]);
    await world.look('mirrored all the same');
  },
};

/** Scenarios about Endpoints. */
export const topic: ScenarioTopic = {
  controllers: ['endpointslice-mirroring-controller'],
  seen: [
    see(EndpointSlice, ({ addressType, ports: slicePorts, endpoints: list }) => [
      addressType,
      (slicePorts ?? []).map((port) => JSON.stringify(port)).toSorted(),
      (list ?? []).map((endpoint) => JSON.stringify(endpoint)).toSorted(),
    ]),
  ],
  scenarios,
};
