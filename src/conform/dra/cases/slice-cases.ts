import { type ConformCase, expectThat } from '../../suite.ts';
import { type DraWorld, devicesOf, incomplete, NODE } from '../dra-world.ts';

const SLICES = 'ResourceSlice v1';

export const sliceCases: readonly ConformCase<DraWorld>[] = [
  {
    name: 'slices',
    title: 'the driver publishes its devices',
    rule: 'A driver publishes its devices as ResourceSlices with its name, in pools that are complete: as many slices of the newest generation as each of them says.',
    source: SLICES,
    level: 'must',
    async run(world, signal) {
      const slices = await world.slices(signal);
      expectThat(incomplete(slices) === undefined, incomplete(slices) ?? '');
      expectThat(devicesOf(slices).length > 0, 'the slices have no devices');
    },
  },
  {
    name: 'slices-node',
    title: 'slices of a node name it, and are owned by it',
    rule: 'Slices of devices on a node have its name in spec.nodeName, and the Node as their owner, so that they go with the node.',
    source: SLICES,
    level: 'should',
    async run(world, signal) {
      const { metadata } = await world.client.core.v1.nodes.get(NODE, { signal });
      for (const { metadata: own, spec } of await world.slices(signal)) {
        if (spec.nodeName === undefined) continue; // devices that several nodes reach
        expectThat(
          spec.nodeName === NODE,
          `the slice "${own.name}" is of the node "${spec.nodeName}", not of "${NODE}"`,
        );
        expectThat(
          own.ownerReferences?.some(({ uid, kind }) => uid === metadata.uid && kind === 'Node') === true,
          `the slice "${own.name}" is not owned by the Node`,
        );
      }
    },
  },
  {
    name: 'slices-unique',
    title: 'each device is published once',
    rule: 'Names of devices are unique in their pool.',
    source: SLICES,
    level: 'must',
    async run(world, signal) {
      const names = devicesOf(await world.slices(signal)).map(({ pool, device }) => `${pool}/${device}`);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      expectThat(twice === undefined, `the device "${twice ?? ''}" is published twice`);
    },
  },
  {
    name: 'slices-again',
    title: 'slices that were deleted are published again',
    rule: 'A kubelet that starts deletes all slices of its node; drivers that run publish theirs again.',
    source: SLICES,
    level: 'must',
    async run(world, signal) {
      const before = devicesOf(await world.slices(signal));
      const fieldSelector = `spec.nodeName=${NODE}`;
      await world.client.resource.v1.resourceslices.deleteCollection({ fieldSelector, signal });
      const after = devicesOf(await world.slices(signal));
      const names = (list: typeof before): string =>
        list
          .map(({ device }) => device)
          .toSorted()
          .join(', ');
      expectThat(
        names(before) === names(after),
        `before, the devices were ${names(before)}; when all slices were deleted, ${names(after)}`,
      );
    },
  },
  {
    name: 'slices-changed',
    title: 'a slice that was changed is put right',
    rule: 'What others change in slices of a driver must not stay: the scheduler would give away devices that are not there.',
    source: SLICES,
    level: 'should',
    async run(world, signal) {
      const slices = world.client.resource.v1.resourceslices;
      const before = devicesOf(await world.slices(signal));
      const changed = (await world.slices(signal)).find(({ spec }) => (spec.devices ?? []).length > 0);
      if (changed === undefined) return;
      const { devices = [] } = changed.spec;
      await slices.update(
        { ...changed, spec: { ...changed.spec, devices: [...devices.slice(1), { name: 'conform-invented' }] } },
        { signal },
      );
      await world.until(
        async () => {
          const now = await world.slicesNow(signal);
          const names = devicesOf(now).map(({ device }) => device);
          return incomplete(now) === undefined && names.length === before.length && !names.includes('conform-invented');
        },
        { signal },
        'has not put right a slice that was changed',
      );
    },
  },
  {
    name: 'slices-stale',
    title: 'slices of pools that are no more are deleted',
    rule: 'What an earlier version of the driver has published on the node, and this one does not, is deleted.',
    source: SLICES,
    level: 'should',
    async run(world, signal) {
      const { name: driver } = await world.registered(signal);
      await world.slices(signal);
      const { metadata } = await world.client.core.v1.nodes.get(NODE, { signal });
      const owner = { apiVersion: 'v1', kind: 'Node', name: NODE, uid: metadata.uid };
      const pool = { name: 'conform-old', generation: 1, resourceSliceCount: 1 };
      const stale = await world.client.resource.v1.resourceslices.create(
        {
          metadata: { name: 'conform-old', ownerReferences: [owner] },
          spec: { driver, nodeName: NODE, pool, devices: [{ name: 'old' }] },
        },
        { signal },
      );
      try {
        await world.kill(); // drivers may look for such slices only when they start
        await world.slices(signal);
        await world.until(
          async () => (await world.slicesNow(signal)).every(({ metadata: { uid } }) => uid !== stale.metadata.uid),
          { signal },
          'has not deleted a slice of a pool that it does not publish',
        );
      } finally {
        await world.client.resource.v1.resourceslices.delete('conform-old').catch(() => undefined); // the driver may have
      }
    },
  },
];
