import { EndpointSlice, Node, Pod, Service } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

const MODE = 'service.kubernetes.io/topology-mode';
const labels = { app: 'web' };

/** A ready node in a zone. */
async function node(
  world: ScenarioWorld,
  name: string,
  { zone, cpu = '4', role }: { readonly zone?: string; readonly cpu?: string; readonly role?: string },
): Promise<void> {
  const own: [string, string | undefined][] = [
    ['topology.kubernetes.io/zone', zone],
    ['node-role.kubernetes.io/control-plane', role],
  ];
  const given = own.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
  await world.create(Node, { metadata: { name, labels: Object.fromEntries(given) } });
  await world.changeStatus(Node, name, {
    capacity: { cpu },
    allocatable: { cpu },
    conditions: [{ type: 'Ready', status: 'True' }],
  });
}

/** Creates `count` ready pods on a node. */
async function pods(world: ScenarioWorld, nodeName: string, count: number): Promise<void> {
  const { items } = await world.pods.list();
  for (let index = 0; index < count; index++) {
    const name = `${nodeName}-${items.length + index}`;
    await world.create(Pod, {
      metadata: { name, labels },
      spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
    });
    const podIP = `10.0.0.${items.length + index + 1}`;
    const conditions = [{ type: 'Ready', status: 'True' }];
    await world.changeStatus(Pod, name, { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions });
  }
  await world.quiet();
}

async function service(world: ScenarioWorld, annotations: Record<string, string> = { [MODE]: 'Auto' }): Promise<void> {
  await world.create(Service, {
    metadata: { name: 'web', annotations },
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
}

const scenarios: ScenarioTopic['scenarios'] = {
  'zones that are alike': async (world) => {
    for (const zone of ['a', 'b']) await node(world, `n-${zone}`, { zone });
    for (const zone of ['a', 'b']) await pods(world, `n-${zone}`, 2);
    await service(world);
    await world.look('each serves its own');
    await pods(world, 'n-a', 2);
    await world.look('more in one of them');
    await world.change(Service, 'web', { metadata: { annotations: null } });
    await world.look('no longer wanted');
  },

  'all endpoints in one zone': async (world) => {
    for (const zone of ['a', 'b']) await node(world, `n-${zone}`, { zone });
    await pods(world, 'n-a', 4);
    await service(world);
    await world.look('half of them serve the other');
  },

  'zones of different size': async (world) => {
    await node(world, 'n-a', { zone: 'a', cpu: '12' });
    await node(world, 'n-b', { zone: 'b', cpu: '4' });
    await pods(world, 'n-a', 4);
    await pods(world, 'n-b', 4);
    await service(world);
    await world.look('by their processors');
  },

  'fewer endpoints than zones': async (world) => {
    for (const zone of ['a', 'b', 'c']) await node(world, `n-${zone}`, { zone });
    await pods(world, 'n-a', 2);
    await service(world);
    await world.look('not possible');
    await pods(world, 'n-b', 4);
    await world.look('possible');
  },

  'too uneven': async (world) => {
    await node(world, 'n-a', { zone: 'a', cpu: '10' });
    await node(world, 'n-b', { zone: 'b', cpu: '3' });
    await pods(world, 'n-a', 2);
    await service(world);
    await world.look('not possible');
  },

  'one zone only, and a node without a zone': async (world) => {
    await node(world, 'n-a', { zone: 'a' });
    await pods(world, 'n-a', 3);
    await service(world);
    await world.look('one zone');
    await node(world, 'n-b', { zone: 'b' });
    await pods(world, 'n-b', 1);
    await world.look('two zones');
    await node(world, 'n-c', {});
    await pods(world, 'n-b', 1);
    await world.look('one that is nowhere');
  },

  'nodes that do not count': async (world) => {
    for (const zone of ['a', 'b']) await node(world, `n-${zone}`, { zone });
    await node(world, 'n-c', { zone: 'c', role: '' });
    await node(world, 'n-d', { zone: 'd' });
    await world.changeStatus(Node, 'n-d', { conditions: [{ type: 'Ready', status: 'False' }] });
    for (const zone of ['a', 'b']) await pods(world, `n-${zone}`, 2);
    await service(world);
    await world.look('two zones');
  },

  'a node that goes, and a zone with it': async (world) => {
    for (const zone of ['a', 'b', 'c']) await node(world, `n-${zone}`, { zone });
    for (const zone of ['a', 'b']) await pods(world, `n-${zone}`, 3);
    await service(world);
    await world.look('three zones');
    await world.changeStatus(Node, 'n-b', { conditions: [{ type: 'Ready', status: 'False' }] });
    await world.look('two are left, with enough for them');
    await world.changeStatus(Node, 'n-c', { conditions: [{ type: 'Ready', status: 'False' }] });
    await world.look('one');
  },

  'pods that are not ready': async (world) => {
    for (const zone of ['a', 'b']) await node(world, `n-${zone}`, { zone });
    for (const zone of ['a', 'b']) await pods(world, `n-${zone}`, 2);
    await service(world);
    const { items } = await world.pods.list();
    await world.changeStatus(Pod, items[0]?.metadata.name ?? '', { conditions: [{ type: 'Ready', status: 'False' }] });
    await world.look('three');
  },

  'the older annotation, and words that say nothing': async (world) => {
    for (const zone of ['a', 'b']) await node(world, `n-${zone}`, { zone });
    for (const zone of ['a', 'b']) await pods(world, `n-${zone}`, 2);
    await service(world, { 'service.kubernetes.io/topology-aware-hints': 'auto' });
    await world.look('hinted');
    await world.change(Service, 'web', {
      metadata: { annotations: { 'service.kubernetes.io/topology-aware-hints': 'on' } },
    });
    await world.look('not hinted');
    await world.change(Service, 'web', { spec: { trafficDistribution: 'PreferSameZone' } });
    await world.look('another way');
  },
};

/** Scenarios about zones and the endpoints of services. */
export const topic: ScenarioTopic = {
  controllers: ['endpointslice-controller'],
  seen: [
    see(EndpointSlice, ({ endpoints }) => {
      const zones = (endpoints ?? []).map(({ hints, conditions }) =>
        JSON.stringify([conditions?.ready, hints?.forZones?.map(({ name }) => name) ?? null]),
      );
      return zones.toSorted();
    }),
  ],
  scenarios,
};
