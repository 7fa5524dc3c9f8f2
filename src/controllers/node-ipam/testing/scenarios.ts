import { Node } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

async function createNode(world: ScenarioWorld, name: string, podCIDR?: string): Promise<void> {
  const spec = podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] };
  await world.create(Node, { metadata: { name }, spec });
}

/** Scenarios about the pod CIDRs of nodes. */
export const topic: ScenarioTopic = {
  controllers: ['node-ipam-controller'],
  flags: ['--allocate-node-cidrs', '--cluster-cidr=10.244.0.0/22', '--service-cluster-ip-range=10.96.0.0/16'],
  seen: [see(Node, ({ spec }) => spec?.podCIDRs)],
  scenarios: {
    'more nodes than networks': async (world) => {
      for (const name of ['a', 'b', 'c', 'd']) await createNode(world, name);
      await world.look('all taken');
      await createNode(world, 'e');
      await world.look('none left');
      await world.of(Node).delete('b');
      await world.pass(20);
      await world.look('one is free again');
      for (const name of ['a', 'c', 'd', 'e']) await world.of(Node).delete(name);
      await world.quiet();
    },
  },
};
