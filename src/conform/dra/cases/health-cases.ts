import { AbortScope, messageOf } from '../../../base/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { SeenHealth } from '../dra-calls.ts';
import { devicesOf, type DraWorld } from '../dra-world.ts';

const HEALTH = 'DRA health v1alpha1';
const UNHEALTHY = 2;

export const healthCases: readonly ConformCase<DraWorld>[] = [
  {
    name: 'health',
    title: 'reports of health are about devices that are published',
    rule: 'A driver that serves NodeWatchResources reports at once, with pools and devices as in its slices, and a health of 0, 1 or 2.',
    source: HEALTH,
    level: 'should',
    skip: withoutHealth,
    async run(world, signal) {
      const published = new Set(devicesOf(await world.slices(signal)).map(({ pool, device }) => `${pool}/${device}`));
      await watch(world, signal, async (reports) => {
        const first = await reports(() => true);
        expectThat(first.length > 0, 'the first report has no devices');
        for (const { pool, device, health } of first) {
          expectThat(published.has(`${pool}/${device}`), `the device ${pool}/${device} of a report is not published`);
          expectThat(health >= 0 && health <= UNHEALTHY, `the health ${health} of ${pool}/${device} is not known`);
        }
      });
    },
  },
  {
    name: 'health-change',
    title: 'a device that breaks is reported, and reported again when it was repaired',
    rule: 'Reports follow the devices, so that pods show which of theirs are broken.',
    source: HEALTH,
    level: 'should',
    skip: (world) =>
      world.options.breakDevice === undefined || world.options.repairDevice === undefined
        ? 'there are no --break-dra-device and --repair-dra-device'
        : withoutHealth(world),
    async run(world, signal) {
      const { breakDevice = '', repairDevice = '' } = world.options;
      await world.slices(signal);
      await watch(world, signal, async (reports) => {
        const isBroken = (devices: readonly SeenHealth[]): boolean =>
          devices.some(({ health }) => health === UNHEALTHY);
        await reports((devices) => !isBroken(devices));
        await world.runScript(breakDevice);
        try {
          await reports(isBroken);
        } finally {
          await world.runScript(repairDevice);
        }
        await reports((devices) => !isBroken(devices));
      });
    },
  },
];

type Reports = (holds: (devices: readonly SeenHealth[]) => boolean) => Promise<readonly SeenHealth[]>;

/** Why rules about health do not apply; undefined when they do, or when the driver has not registered yet. */
function withoutHealth({ seen }: DraWorld): string | undefined {
  const isServed = seen === undefined || seen.versions.includes('v1alpha1.DRAResourceHealth');
  return isServed ? undefined : 'the driver does not announce v1alpha1.DRAResourceHealth';
}

/** Follows reports: each one that is waited for comes after the one before. */
async function watch(world: DraWorld, signal: AbortSignal, work: (reports: Reports) => Promise<void>): Promise<void> {
  const calls = await world.connect(signal);
  using scope = new AbortScope(signal);
  const seen: (readonly SeenHealth[])[] = [];
  let end: string | undefined;
  const following = (async () => {
    try {
      for await (const devices of calls.health(scope.signal)) seen.push(devices);
      end = 'the driver has closed the stream';
    } catch (error) {
      end = messageOf(error);
    }
  })();
  let from = 0;
  try {
    await work(async (holds) => {
      const find = (): number => seen.findIndex((devices, index) => index >= from && holds(devices));
      await world.until(
        () => end !== undefined || find() !== -1,
        { signal },
        'has not reported the health of its devices as expected',
      );
      const at = find();
      expectThat(at !== -1, `NodeWatchResources has ended: ${end ?? ''}`);
      from = at + 1;
      return seen[at] ?? [];
    });
  } finally {
    scope.abort();
    await following;
  }
}
