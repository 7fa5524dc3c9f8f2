import { type ConformCase, expectThat } from '../../suite.ts';
import { type CniWorld, requireSuccess } from '../cni-world.ts';
import { onlyFor } from './applies.ts';

const SOURCE = 'CNI 1.1.0, section 2, DEL';

export const delCases: readonly ConformCase<CniWorld>[] = [
  {
    name: 'del',
    title: 'DEL removes the interface',
    rule: 'DEL deletes the interface CNI_IFNAME, or undoes what ADD changed.',
    source: SOURCE,
    level: 'must',
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      await world.del(container, signal);
      if (world.options.kind !== 'interface') return;
      const present = await world.interfacesOf(container);
      expectThat(!present.has(world.options.ifName), `"${world.options.ifName}" is still in the container`);
    },
  },
  {
    name: 'del-silent',
    title: 'DEL prints nothing when it succeeds',
    rule: 'DEL has no result.',
    source: SOURCE,
    level: 'should',
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      const end = await world.call('DEL', { container, signal });
      expectThat(end.code !== 0 || end.stdout.trim() === '', `it prints ${JSON.stringify(end.stdout.slice(0, 200))}`);
    },
  },
  {
    name: 'del-again',
    title: 'DEL may be repeated',
    rule: 'A plugin accepts several DEL calls for the same container and interface, and succeeds when nothing is left.',
    source: SOURCE,
    level: 'must',
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      await world.del(container, signal);
      requireSuccess('the second DEL', await world.call('DEL', { container, signal }));
    },
  },
  {
    name: 'del-unknown',
    title: 'DEL of a container that was never added succeeds',
    rule: 'A plugin succeeds when the interface, or what it would undo, is missing.',
    source: SOURCE,
    level: 'must',
    async run(world, signal) {
      const container = await world.container();
      requireSuccess('DEL without ADD', await world.call('DEL', { container, signal }));
    },
  },
  {
    name: 'del-without-namespace',
    title: 'DEL succeeds without CNI_NETNS',
    rule: 'CNI_NETNS is optional for DEL: its namespace may be gone.',
    source: SOURCE,
    level: 'must',
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      await world.destroy(container);
      for (const netns of ['', undefined])
        requireSuccess(
          netns === '' ? 'DEL with an empty CNI_NETNS' : 'DEL without CNI_NETNS',
          await world.call('DEL', { container, environment: { CNI_NETNS: netns }, signal }),
        );
    },
  },
  {
    name: 'del-gone-namespace',
    title: 'DEL succeeds when the namespace is gone, and frees what it can',
    rule: 'A plugin completes DEL even if the network namespace no longer exists.',
    source: SOURCE,
    level: 'must',
    async run(world, signal) {
      const before = await world.baseline(signal);
      const container = await world.container();
      await world.add(container, signal);
      await world.destroy(container);
      requireSuccess('DEL after the namespace is gone', await world.call('DEL', { container, signal }));
      if (world.options.kind !== 'chained') await world.requireNothingLeft(before, signal);
    },
  },
  {
    name: 'del-without-result',
    title: 'DEL succeeds without prevResult',
    rule: 'A plugin completes DEL even if some resources are missing; a runtime may have lost the result.',
    source: SOURCE,
    level: 'should',
    async run(world, signal) {
      const container = await world.container();
      await world.add(container, signal);
      const kept = container.added;
      delete container.added;
      const end = await world.call('DEL', { container, signal });
      if (kept !== undefined) container.added = kept;
      requireSuccess('DEL without prevResult', end);
    },
  },
  {
    name: 'del-after-failed-add',
    title: 'ADD that fails, followed by DEL, leaves nothing',
    rule: 'A runtime executes DEL even if ADD fails; the two together leave nothing behind.',
    source: 'CNI 1.1.0, section 3, lifecycle',
    level: 'must',
    skip: onlyFor('interface', 'ipam'),
    async run(world, signal) {
      const before = await world.baseline(signal);
      const container = await world.container();
      const environment = { CNI_NETNS: '/proc/1/no-such-namespace' };
      await world.call('ADD', { container, environment, signal });
      requireSuccess('DEL after a failed ADD', await world.call('DEL', { container, environment, signal }));
      await world.requireNothingLeft(before, signal);
    },
  },
];
