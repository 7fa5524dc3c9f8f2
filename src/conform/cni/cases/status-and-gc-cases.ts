import { type ConformCase, expectThat } from '../../suite.ts';
import { type CniWorld, endText, requireSuccess } from '../cni-world.ts';
import { onlyFor, withCommand } from './applies.ts';

const GC = 'CNI 1.1.0, section 2, GC';

export const statusAndGcCases: readonly ConformCase<CniWorld>[] = [
  {
    name: 'status',
    title: 'STATUS succeeds when containers can be added',
    rule: 'A plugin that is ready for ADD exits with 0.',
    source: 'CNI 1.1.0, section 2, STATUS',
    level: 'must',
    skip: withCommand('STATUS'),
    async run(world, signal) {
      requireSuccess('STATUS', await world.call('STATUS', { signal }));
    },
  },
  {
    name: 'gc',
    title: 'GC succeeds and leaves valid attachments alone',
    rule: 'GC removes resources of attachments that are not in the list, and of no others.',
    source: GC,
    level: 'must',
    skip: withCommand('GC'),
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      const valid = [{ containerID: container.id, ifname: world.options.ifName }];
      await collect(world, valid, signal);
      const end = await world.call('CHECK', { container, signal });
      expectThat(end.code === 0, `CHECK of a valid attachment fails after GC: ${endText(end)}`);
      const other = await world.container();
      const result = await world.add(other, signal);
      const first = JSON.stringify(container.added?.['ips'] ?? []);
      const shared = (result.ips ?? []).find(({ address }) => first.includes(`"${address}"`));
      if (world.options.kind !== 'chained')
        expectThat(shared === undefined, `after GC, ${shared?.address} of a valid attachment is given to another`);
    },
  },
  {
    name: 'gc-empty',
    title: 'GC succeeds when nothing was ever added',
    rule: 'Plugins generally complete GC without an error.',
    source: GC,
    level: 'must',
    skip: withCommand('GC'),
    run: (world, signal) => collect(world, [], signal),
  },
  {
    name: 'gc-collects',
    title: 'GC frees what is left of containers that are gone',
    rule: 'A plugin removes reservations and rules of attachments that are not in the list.',
    source: GC,
    level: 'should',
    skip: withCommand('GC', onlyFor('interface', 'ipam')),
    async run(world, signal) {
      const before = await world.baseline(signal);
      const container = await world.container();
      await world.add(container, signal);
      await world.destroy(container);
      await collect(world, [], signal);
      await world.requireNothingLeft(before, signal);
    },
  },
];

async function collect(
  world: CniWorld,
  valid: readonly { readonly containerID: string; readonly ifname: string }[],
  signal: AbortSignal,
): Promise<void> {
  const config = { 'cni.dev/valid-attachments': valid, 'cni.dev/attachments': valid };
  requireSuccess('GC', await world.call('GC', { config, signal }));
}
