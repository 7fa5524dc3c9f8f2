import { type ConformCase, expectThat } from '../../suite.ts';
import type { DevicePluginWorld } from '../device-plugin-world.ts';

const LIST = 'Device plugin API v1beta1, ListAndWatch';
/** How long a stream has to stay open while nothing changes. */
const OPEN_MS = 1500;

export const listCases: readonly ConformCase<DevicePluginWorld>[] = [
  {
    name: 'list-first',
    title: 'ListAndWatch begins with a list of all devices',
    rule: 'A plugin sends its devices when ListAndWatch is called, each with an id that is unique and a health that is Healthy or Unhealthy.',
    source: LIST,
    level: 'must',
    async run(world, signal) {
      const devices = await (await world.connect(signal)).list();
      const ids = new Set<string>();
      for (const { id = '', health = '', topology } of devices) {
        expectThat(id !== '', 'a device has no id');
        expectThat(!ids.has(id), `two devices have the id "${id}"`);
        ids.add(id);
        expectThat(
          health === 'Healthy' || health === 'Unhealthy',
          `the health of device "${id}" is "${health}", not Healthy or Unhealthy`,
        );
        const nodes = (topology?.nodes ?? []).map((node) => node.id ?? 0);
        expectThat(
          nodes.every((node) => node >= 0),
          `device "${id}" is near to the NUMA nodes ${nodes.join(', ')}; for a device near to none the topology is left out`,
        );
      }
    },
  },
  {
    name: 'list-open',
    title: 'ListAndWatch stays open while nothing changes',
    rule: 'A kubelet takes the end of ListAndWatch as the end of the plugin: all its devices become unhealthy.',
    source: LIST,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      using watch = calls.watch();
      await watch.next();
      await world.pause(OPEN_MS, signal);
      expectThat(watch.end === undefined, `ListAndWatch has ended after its first list: ${watch.end ?? ''}`);
    },
  },
  {
    name: 'list-again',
    title: 'ListAndWatch can be called again, with the same devices',
    rule: 'A kubelet that was restarted calls ListAndWatch again; the list is whole each time.',
    source: LIST,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      using first = calls.watch();
      using second = calls.watch();
      const [before, after] = [idsOf(await first.next()), idsOf(await second.next())];
      expectThat(
        before.join() === after.join(),
        `the first stream has listed ${before.join(', ')}, the second ${after.join(', ')}`,
      );
      const again = idsOf(await calls.list());
      expectThat(
        before.join() === again.join(),
        `the first stream has listed ${before.join(', ')}, a later one ${again.join(', ')}`,
      );
    },
  },
  {
    name: 'health',
    title: 'a device that breaks becomes unhealthy in an open stream, and healthy again',
    rule: 'A plugin sends the whole list again when the health of a device has changed.',
    source: LIST,
    level: 'must',
    skip: ({ options }) =>
      options.breakDevice === undefined ? 'it needs --break-device, a command that breaks a device' : undefined,
    async run(world, signal) {
      const { breakDevice = '', repairDevice } = world.options;
      const calls = await world.connect(signal);
      using watch = calls.watch();
      const before = await watch.next();
      await world.runScript(breakDevice);
      const broken = await watch.next(1, (devices) => healthy(devices) < healthy(before));
      expectThat(
        idsOf(broken).join() === idsOf(before).join(),
        `the list after the change has ${idsOf(broken).join(', ')}, before it had ${idsOf(before).join(', ')}`,
      );
      if (repairDevice === undefined) return;
      const seen = watch.lists.length;
      await world.runScript(repairDevice);
      await watch.next(seen, (devices) => healthy(devices) === healthy(before));
    },
  },
];

function idsOf(devices: readonly { readonly id?: string }[]): readonly string[] {
  return devices.map(({ id = '' }) => id).toSorted();
}

function healthy(devices: readonly { readonly health?: string }[]): number {
  return devices.filter(({ health }) => health === 'Healthy').length;
}
