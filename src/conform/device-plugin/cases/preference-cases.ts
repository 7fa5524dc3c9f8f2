import { type ConformCase, expectThat } from '../../suite.ts';
import type { DevicePluginWorld, PluginCalls } from '../device-plugin-world.ts';

const PREFERRED = 'Device plugin API v1beta1, GetPreferredAllocation';
const MAX_SIZES = 8;

export const preferenceCases: readonly ConformCase<DevicePluginWorld>[] = [
  {
    name: 'preferred',
    title: 'GetPreferredAllocation answers with as many of the available devices as asked for',
    rule: 'The preferred devices are some of the available ones, each once, and as many as the size of the allocation.',
    source: PREFERRED,
    level: 'must',
    skip: (world) => world.withoutOption('getPreferredAllocationAvailable'),
    async run(world, signal) {
      const calls = await withPreference(world, signal);
      if (calls === undefined) return;
      const ids = await calls.healthyIds();
      for (let size = 1; size <= Math.min(ids.length, MAX_SIZES); size++)
        requirePreferred(await calls.preferred(ids, [], size), { available: ids, size });
      const some = ids.slice(Math.floor(ids.length / 2));
      requirePreferred(await calls.preferred(some, [], 1), { available: some, size: 1 });
    },
  },
  {
    name: 'preferred-must-include',
    title: 'GetPreferredAllocation answers with the devices that must be included',
    rule: 'The preferred devices include all those that must be included.',
    source: PREFERRED,
    level: 'must',
    skip: (world) => world.withoutOption('getPreferredAllocationAvailable'),
    async run(world, signal) {
      const calls = await withPreference(world, signal);
      if (calls === undefined) return;
      const ids = await calls.healthyIds();
      for (const must of new Set([ids[0] ?? '', ids.at(-1) ?? ''])) {
        const size = Math.min(2, ids.length);
        const preferred = await calls.preferred(ids, [must], size);
        requirePreferred(preferred, { available: ids, size });
        expectThat(preferred.includes(must), `the answer is ${preferred.join(', ')}; "${must}" must be included`);
      }
    },
  },
];

/** Undefined for a plugin that has no preference. */
async function withPreference(world: DevicePluginWorld, signal: AbortSignal): Promise<PluginCalls | undefined> {
  const calls = await world.connect(signal);
  return (await calls.options()).getPreferredAllocationAvailable === true ? calls : undefined;
}

function requirePreferred(
  preferred: readonly string[],
  { available, size }: { readonly available: readonly string[]; readonly size: number },
): void {
  const shown = preferred.join(', ');
  expectThat(preferred.length === size, `the answer for ${size} devices has ${preferred.length}: ${shown}`);
  expectThat(new Set(preferred).size === size, `the answer has a device twice: ${shown}`);
  const strange = preferred.find((id) => !available.includes(id));
  expectThat(
    strange === undefined,
    `the answer has "${strange ?? ''}", which is not available: ${available.join(', ')}`,
  );
}
