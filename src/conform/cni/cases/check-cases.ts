import { type ConformCase, expectThat } from '../../suite.ts';
import { type CniWorld, endText, requireSuccess } from '../cni-world.ts';
import { onlyFor, withCommand } from './applies.ts';

const SOURCE = 'CNI 1.1.0, section 2, CHECK';

export const checkCases: readonly ConformCase<CniWorld>[] = [
  {
    name: 'check',
    title: 'CHECK succeeds right after ADD',
    rule: 'A plugin handles a CHECK that follows ADD at once.',
    source: SOURCE,
    level: 'must',
    skip: withCommand('CHECK'),
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      requireSuccess('CHECK', await world.call('CHECK', { container, signal }));
    },
  },
  {
    name: 'check-silent',
    title: 'CHECK prints nothing when all is well',
    rule: 'A plugin that is satisfied produces no output.',
    source: SOURCE,
    level: 'should',
    skip: withCommand('CHECK'),
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      const end = await world.call('CHECK', { container, signal });
      expectThat(end.code !== 0 || end.stdout.trim() === '', `it prints ${JSON.stringify(end.stdout.slice(0, 200))}`);
    },
  },
  {
    name: 'check-missing-interface',
    title: 'CHECK fails when the interface is gone',
    rule: 'A plugin reports an interface, address or route of the result that it made and that is missing.',
    source: SOURCE,
    level: 'should',
    skip: withCommand('CHECK', onlyFor('interface')),
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      await container.namespace.run('ip', 'link', 'delete', world.options.ifName);
      const end = await world.call('CHECK', { container, signal });
      expectThat(end.code !== 0, `it succeeds without the interface: ${endText(end)}`);
    },
  },
  {
    name: 'check-missing-address',
    title: 'CHECK fails when the address is gone',
    rule: 'A plugin reports an interface, address or route of the result that it made and that is missing.',
    source: SOURCE,
    level: 'should',
    skip: withCommand('CHECK', onlyFor('interface')),
    async run(world, signal) {
      const container = await world.container();
      const { ips = [] } = await world.add(container, signal);
      if (ips.length === 0) return; // it assigns none
      await container.namespace.run('ip', 'address', 'flush', 'dev', world.options.ifName);
      const end = await world.call('CHECK', { container, signal });
      expectThat(
        end.code !== 0,
        `it succeeds without ${ips.map(({ address }) => address).join(', ')}: ${endText(end)}`,
      );
    },
  },
  {
    name: 'check-released',
    title: 'CHECK fails when the address is not reserved',
    rule: 'A plugin reports reservations of addresses that are missing.',
    source: SOURCE,
    level: 'should',
    skip: withCommand('CHECK', onlyFor('ipam')),
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      await world.del(container, signal);
      const end = await world.call('CHECK', { container, signal });
      expectThat(end.code !== 0, `it succeeds after DEL: ${endText(end)}`);
    },
  },
];
