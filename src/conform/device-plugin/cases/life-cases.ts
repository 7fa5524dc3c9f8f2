import { type ConformCase, expectThat } from '../../suite.ts';
import type { DevicePluginWorld } from '../device-plugin-world.ts';
import { REGISTRATION } from './registration-cases.ts';

const LIFE = 'Device plugins, handling kubelet restarts';

export const lifeCases: readonly ConformCase<DevicePluginWorld>[] = [
  {
    name: 'register-again',
    title: 'the plugin registers again when the kubelet was restarted',
    rule: 'A kubelet that starts removes all sockets of the folder and makes kubelet.sock again; plugins notice that, and register again.',
    source: LIFE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      const before = idsOf(await calls.list());
      const registration = await restartKubelet(world, signal);
      expectThat(
        await world.hasSocket(registration),
        `the plugin has registered again with "${registration.request.endpoint ?? ''}", and there is no such socket`,
      );
      const after = idsOf(await (await world.connect(signal)).list());
      expectThat(
        before.join() === after.join(),
        `before the restart the devices were ${before.join(', ')}, after it ${after.join(', ')}`,
      );
    },
  },
  {
    name: 'register-twice-again',
    title: 'the plugin registers again after each restart',
    rule: 'A kubelet may be restarted at any time, and more than once.',
    source: LIFE,
    level: 'must',
    async run(world, signal) {
      await world.registered(signal);
      await restartKubelet(world, signal);
      await restartKubelet(world, signal);
    },
  },
  {
    name: 'register-refused',
    title: 'a plugin whose registration is refused tries again, or ends',
    rule: 'A plugin that was not registered must not wait forever: its DaemonSet would look healthy, and the node would have no devices.',
    source: REGISTRATION,
    level: 'should',
    async run(world, signal) {
      await world.registered(signal);
      await world.plugin.kill();
      await world.tidy();
      world.refuseRegistrations(1);
      world.startPlugin();
      await world.until(
        () => world.registrationCount > 0 || world.plugin.end !== undefined,
        { signal },
        'has neither tried again nor ended after its registration was refused',
      );
    },
  },
  {
    name: 'crash',
    title: 'a plugin that was killed registers again when it is started, with the same devices',
    rule: 'The socket of a plugin that has crashed stays; the next start must not fail because of it. Ids of devices stay the same, for pods keep them.',
    source: LIFE,
    level: 'must',
    async run(world, signal) {
      const before = idsOf(await (await world.connect(signal)).list());
      await world.plugin.kill();
      const count = world.registrationCount;
      world.startPlugin();
      await world.nextRegistration(count, signal);
      const after = idsOf(await (await world.connect(signal)).list());
      expectThat(
        before.join() === after.join(),
        `before the crash the devices were ${before.join(', ')}, after it ${after.join(', ')}`,
      );
    },
  },
  {
    name: 'stop',
    title: 'the plugin ends at SIGTERM',
    rule: 'A pod of a plugin gets SIGTERM, and has its grace period to end.',
    source: 'Pod lifecycle, termination of pods',
    level: 'must',
    async run(world, signal) {
      using watch = (await world.connect(signal)).watch(); // a kubelet that is connected must not keep it from ending
      await watch.next();
      world.plugin.signal('SIGTERM');
      await world.until(() => world.plugin.end !== undefined, { signal }, 'has not ended after SIGTERM');
    },
  },
  {
    name: 'stop-socket',
    title: 'a plugin that was stopped has removed its socket',
    rule: 'What a plugin has made in the folder of the sockets goes with it.',
    source: LIFE,
    level: 'should',
    async run(world, signal) {
      const registration = await world.registered(signal);
      world.plugin.signal('SIGTERM');
      await world.until(() => world.plugin.end !== undefined, { signal }, 'has not ended after SIGTERM');
      expectThat(
        !(await world.hasSocket(registration)),
        `the socket "${registration.request.endpoint ?? ''}" is still there`,
      );
    },
  },
  {
    name: 'kubelet-late',
    title: 'a plugin that is started before the kubelet registers when there is one, or ends',
    rule: 'The order in which a machine starts its programs is not known.',
    source: LIFE,
    level: 'should',
    async run(world, signal) {
      if (world.hasPlugin) await world.plugin.kill();
      await world.tidy();
      await world.stopKubelet();
      world.startPlugin();
      await world.pause(Math.min(KUBELET_LATE_MS, world.options.withinMs), signal);
      await world.startKubelet();
      await world.until(
        () => world.registrationCount > 0 || world.plugin.end !== undefined,
        { signal },
        'has neither registered nor ended after the kubelet has come',
      );
    },
  },
];

/** Enough for a plugin to start and to notice that there is no kubelet. */
const KUBELET_LATE_MS = 5000;

async function restartKubelet(
  world: DevicePluginWorld,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<DevicePluginWorld['nextRegistration']>>> {
  const count = world.registrationCount;
  await world.stopKubelet();
  await world.removeSockets();
  await world.startKubelet();
  try {
    return await world.nextRegistration(count, signal);
  } catch (error) {
    // many plugins end instead, and their DaemonSet starts them again
    if (world.plugin.end === undefined || signal.aborted) throw error;
    world.startPlugin();
    return await world.nextRegistration(count, signal);
  }
}

function idsOf(devices: readonly { readonly id?: string }[]): readonly string[] {
  return devices.map(({ id = '' }) => id).toSorted();
}
