import type { PluginEnd } from '../../../cni/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import { type CniWorld, requireSuccess, type TriedContainer } from '../cni-world.ts';
import { withCommand } from './applies.ts';

const LIFECYCLE = 'CNI 1.1.0, section 3, lifecycle';
/** How often a container is added and deleted. */
const ROUNDS = 5;

export const loadCases: readonly ConformCase<CniWorld>[] = [
  {
    name: 'concurrent-add',
    title: 'containers that are added at the same time have addresses of their own',
    rule: 'Plugins handle being executed at the same time for different containers, with locks where they share something.',
    source: LIFECYCLE,
    level: 'must',
    async run(world, signal) {
      const containers = await many(world);
      const results = await Promise.all(containers.map((container) => world.add(container, signal)));
      if (world.options.kind === 'chained') return;
      const seen = new Map<string, number>();
      for (const [index, { ips = [] }] of results.entries())
        for (const { address } of ips) {
          const other = seen.get(address);
          expectThat(
            other === undefined,
            `containers ${other} and ${index} of ${containers.length} both have ${address}`,
          );
          seen.set(address, index);
        }
    },
  },
  {
    name: 'concurrent-check',
    title: 'containers that are added at the same time pass CHECK',
    rule: 'Plugins handle being executed at the same time for different containers, with locks where they share something.',
    source: LIFECYCLE,
    level: 'must',
    skip: withCommand('CHECK'),
    async run(world, signal) {
      const containers = await many(world);
      await Promise.all(containers.map((container) => world.add(container, signal)));
      requireAll('CHECK', await all(world, 'CHECK', containers, signal));
    },
  },
  {
    name: 'concurrent-del',
    title: 'containers that are deleted at the same time leave nothing',
    rule: 'Plugins handle being executed at the same time for different containers, with locks where they share something.',
    source: LIFECYCLE,
    level: 'must',
    async run(world, signal) {
      const before = await world.baseline(signal);
      const containers = await many(world);
      await Promise.all(containers.map((container) => world.add(container, signal)));
      requireAll('DEL', await all(world, 'DEL', containers, signal));
      await Promise.all(containers.map((container) => world.release(container)));
      await world.requireNothingLeft(before, signal);
    },
  },
  {
    name: 'no-leaks',
    title: 'ADD and DEL, again and again, leave nothing',
    rule: 'DEL removes what ADD has made.',
    source: 'CNI 1.1.0, section 2, DEL',
    level: 'must',
    async run(world, signal) {
      const before = await world.baseline(signal);
      for (let round = 0; round < ROUNDS; round++) {
        const container = await world.container();
        await world.add(container, signal);
        await world.del(container, signal);
        await world.release(container);
      }
      await world.requireNothingLeft(before, signal);
    },
  },
];

function many(world: CniWorld): Promise<readonly TriedContainer[]> {
  return Promise.all(Array.from({ length: world.options.concurrency }, () => world.container()));
}

function all(
  world: CniWorld,
  command: string,
  containers: readonly TriedContainer[],
  signal: AbortSignal,
): Promise<readonly PluginEnd[]> {
  return Promise.all(containers.map((container) => world.call(command, { container, signal })));
}

function requireAll(command: string, ends: readonly PluginEnd[]): void {
  for (const [index, end] of ends.entries()) requireSuccess(`${command} of container ${index} of ${ends.length}`, end);
}
