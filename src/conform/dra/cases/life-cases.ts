import { type ConformCase, expectThat } from '../../suite.ts';
import { devicesOf, type DraWorld } from '../dra-world.ts';
import { expectSame } from './prepare-cases.ts';
import { REGISTRATION } from './registration-cases.ts';

const LIFE = 'kubeletplugin, DRAPlugin';

/**
 * When a driver is killed while it prepares, in parts of the time that it takes. Most of the work is done at the end, so the moments are close together there;
 * they are spread over the whole, because a busy machine shifts each of them.
 */
const CRASH_MOMENTS = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05];

export const lifeCases: readonly ConformCase<DraWorld>[] = [
  {
    name: 'crash',
    title: 'a driver that was killed registers again when it is started, with the same devices',
    rule: 'Sockets of a driver that has crashed stay; the next start must not fail because of them.',
    source: REGISTRATION,
    level: 'must',
    async run(world, signal) {
      const names = async (): Promise<string> =>
        devicesOf(await world.slices(signal))
          .map(({ pool, device }) => `${pool}/${device}`)
          .toSorted()
          .join(', ');
      const before = await names();
      await world.kill();
      await world.registered(signal);
      await (await world.connect(signal)).prepareAll([]);
      const after = await names();
      expectThat(before === after, `before the crash the devices were ${before}, after it ${after}`);
    },
  },
  {
    name: 'crash-prepared',
    title: 'what was prepared before a crash is prepared the same way after it, and unprepared',
    rule: 'Containers that run use what was prepared; a driver that is started again knows it.',
    source: LIFE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const before = await (await world.connect(signal)).prepare(claim);
      await world.kill();
      const calls = await world.connect(signal);
      const after = await calls.prepare(claim);
      expectSame(before, after, 'before and after a crash, the driver has prepared');
      await world.checkCdi(after.flatMap(({ cdiDevices }) => cdiDevices));
      await calls.unprepare(claim);
    },
  },
  {
    name: 'crash-unprepare',
    title: 'what was prepared before a crash is unprepared after it, though the claim is gone',
    rule: 'What has to be undone is known without the claim, also by the next process of the driver.',
    source: LIFE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      await (await world.connect(signal)).prepare(claim);
      await world.kill();
      await world.deleteClaim(claim, signal);
      await (await world.connect(signal)).unprepare(claim);
      const left = await world.claimFiles();
      expectThat(left.length === 0, `after the claim was unprepared, these CDI files are left: ${left.join(', ')}`);
    },
  },
  {
    name: 'crash-half-way',
    title: 'a driver that is killed while it prepares finishes the work, and undoes it',
    rule: 'A crash may come at any moment of NodePrepareResources; the kubelet calls again, and later unprepares.',
    source: LIFE,
    level: 'must',
    async run(world, signal) {
      let tookMs = await prepareTime(world, signal);
      for (const moment of CRASH_MOMENTS) {
        const claim = await world.allocate(signal);
        const beginMs = world.elapsedMs();
        const call = (await world.connect(signal)).prepare(claim).then(
          () => (tookMs = Math.min(tookMs, world.elapsedMs() - beginMs)),
          () => undefined, // it was cut off
        );
        await world.pause(moment * tookMs, signal);
        await world.kill();
        await call;
        const calls = await world.connect(signal);
        const prepared = await calls.prepare(claim);
        await world.checkCdi(prepared.flatMap(({ cdiDevices }) => cdiDevices));
        await calls.unprepare(claim);
        const left = await world.claimFiles();
        expectThat(left.length === 0, `after a crash and an end, these CDI files are left: ${left.join(', ')}`);
        await world.release(claim, signal);
      }
    },
  },
  {
    name: 'stop',
    title: 'the driver ends at SIGTERM',
    rule: 'A pod of a driver gets SIGTERM, and has its grace period to end.',
    source: 'Pod lifecycle, termination of pods',
    level: 'must',
    async run(world, signal) {
      await (await world.connect(signal)).prepareAll([]); // a kubelet that is connected must not keep it from ending
      world.process.signal('SIGTERM');
      await world.until(() => world.process.end !== undefined, { signal }, 'has not ended after SIGTERM');
      await world.kill();
    },
  },
  {
    name: 'stop-socket',
    title: 'a driver that was stopped has removed its registration',
    rule: 'A kubelet takes a driver as gone when its socket in plugins_registry is; as long as it is there, pods are sent to the driver.',
    source: REGISTRATION,
    level: 'should',
    async run(world, signal) {
      await world.registered(signal);
      world.process.signal('SIGTERM');
      await world.until(() => world.process.end !== undefined, { signal }, 'has not ended after SIGTERM');
      await world.kill();
      const left = await world.sockets();
      expectThat(left.length === 0, `these sockets are left in plugins_registry: ${left.join(', ')}`);
    },
  },
];

/** How long the driver takes to prepare a claim when it is left alone. */
async function prepareTime(world: DraWorld, signal: AbortSignal): Promise<number> {
  const claim = await world.allocate(signal);
  const calls = await world.connect(signal);
  const beginMs = world.elapsedMs();
  await calls.prepare(claim);
  const tookMs = world.elapsedMs() - beginMs;
  await calls.unprepare(claim);
  await world.release(claim, signal);
  return tookMs;
}
