import { type ConformCase, expectThat } from '../../suite.ts';
import type { DraVersion } from '../dra-calls.ts';
import type { DraWorld } from '../dra-world.ts';

export const REGISTRATION = 'Plugin registration v1';
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/i;
const MAX_NAME = 63;
const KNOWN = ['v1.DRAPlugin', 'v1beta1.DRAPlugin'];

export const registrationCases: readonly ConformCase<DraWorld>[] = [
  {
    name: 'register',
    title: 'the driver registers with its type, its name and a socket',
    rule: 'GetInfo at a socket in plugins_registry answers the type DRAPlugin, the name of the driver, and the absolute path of the socket that serves it.',
    source: REGISTRATION,
    level: 'must',
    async run(world, signal) {
      const { type, name, endpoint } = await world.registered(signal);
      expectThat(type === 'DRAPlugin', `the type is "${type}", not "DRAPlugin"`);
      expectThat(
        NAME.test(name) && name.length <= MAX_NAME,
        `"${name}" is no name of a driver, such as gpu.example.com`,
      );
      expectThat(endpoint.startsWith('/'), `the endpoint is "${endpoint}"; it has to be an absolute path`);
    },
  },
  {
    name: 'register-versions',
    title: 'the driver announces the services that it serves',
    rule: 'Versions are names of gRPC services, and one of them is v1.DRAPlugin or v1beta1.DRAPlugin; each that is announced is served.',
    source: REGISTRATION,
    level: 'must',
    async run(world, signal) {
      const { versions } = await world.registered(signal);
      const known = versions.filter((version) => KNOWN.includes(version));
      expectThat(
        known.length > 0,
        `versions are "${versions.join(', ')}", and one of ${KNOWN.join(', ')} has to be there`,
      );
      for (const version of known) {
        const calls = await world.connect(signal, version.slice(0, version.indexOf('.')) as DraVersion);
        await calls.prepareAll([]);
        await calls.unprepareAll([]);
      }
    },
  },
  {
    name: 'register-refused',
    title: 'a driver whose registration is refused can still be registered, or ends',
    rule: 'A kubelet that refuses a registration tries again later, with the same socket; a driver that gives up must not look healthy.',
    source: REGISTRATION,
    level: 'should',
    async run(world, signal) {
      const driver = await world.registered(signal);
      await world.notify(driver, { isRegistered: false }).catch(() => undefined); // drivers may answer with an error
      await world.pause(Math.min(SETTLE_MS, world.options.withinMs), signal);
      if (!world.isRunning) return;
      const again = await world.found(signal);
      await world.notify(again, { isRegistered: true });
      await (await world.connect(signal)).prepareAll([]);
    },
  },
];

/** Enough for a driver to end when it means to. */
const SETTLE_MS = 1000;
