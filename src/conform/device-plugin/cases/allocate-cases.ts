import { deepEqual } from '../../../base/index.ts';
import type { PluginMessages } from '../../../devices/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { DevicePluginWorld } from '../device-plugin-world.ts';

const ALLOCATE = 'Device plugin API v1beta1, Allocate';
const MAX_AT_ONCE = 50;
const UNKNOWN_ID = 'keelson-conform-no-such-device';
/** `vendor.com/class=name` of the Container Device Interface. */
const CDI_NAME =
  /^[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?\/[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?=[A-Za-z0-9](?:[A-Za-z0-9_.:-]*[A-Za-z0-9])?$/;

type Answer = PluginMessages['containerAllocateResponse'];

export const allocateCases: readonly ConformCase<DevicePluginWorld>[] = [
  {
    name: 'allocate',
    title: 'Allocate of one device answers for one container',
    rule: 'Allocate has one answer for each container of the request.',
    source: ALLOCATE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      const [id = ''] = await calls.healthyIds();
      const answers = await calls.allocate([id]);
      expectThat(answers.length === 1, `Allocate for one container has answered for ${answers.length}`);
    },
  },
  {
    name: 'allocate-containers',
    title: 'Allocate for two containers answers for each, in their order',
    rule: 'Allocate has one answer for each container of the request, in the same order.',
    source: ALLOCATE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      const [first = '', second = first] = await calls.healthyIds();
      const answers = await calls.allocate([first], [second]);
      expectThat(answers.length === 2, `Allocate for two containers has answered for ${answers.length}`);
      const [alone] = await calls.allocate([second]);
      expectThat(
        deepEqual(plain(answers[1]), plain(alone)),
        `the answer for the second container is not that for device "${second}"`,
      );
    },
  },
  {
    name: 'allocate-all',
    title: 'all healthy devices can be allocated to one container',
    rule: 'A container may ask for any number of the devices that the plugin lists.',
    source: ALLOCATE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      const answers = await calls.allocate(await calls.healthyIds());
      expectThat(answers.length === 1, `Allocate for one container has answered for ${answers.length}`);
    },
  },
  {
    name: 'allocate-again',
    title: 'a device can be allocated again, with the same answer',
    rule: 'A kubelet allocates a device again for a later container of the pod, and after a call whose answer it has not seen.',
    source: ALLOCATE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      const [id = ''] = await calls.healthyIds();
      const [first] = await calls.allocate([id]);
      const [again] = await calls.allocate([id]);
      expectThat(deepEqual(plain(first), plain(again)), `the second answer for device "${id}" differs from the first`);
    },
  },
  {
    name: 'allocate-paths',
    title: 'device files and mounts have absolute paths, and devices have permissions',
    rule: 'Paths on the machine and in the container are absolute; permissions are any of r, w and m; variables have names.',
    source: ALLOCATE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      for (const answer of await answersFor(calls, await calls.healthyIds())) {
        for (const { containerPath = '', hostPath = '', permissions = '' } of answer.devices ?? []) {
          requirePath('device file', hostPath);
          requirePath('device file in the container', containerPath);
          expectThat(/^[rwm]{1,3}$/.test(permissions), `permissions of "${hostPath}" are "${permissions}"`);
        }
        for (const { containerPath = '', hostPath = '' } of answer.mounts ?? []) {
          requirePath('mount', hostPath);
          requirePath('mount in the container', containerPath);
        }
        for (const name of (answer.envs ?? new Map<string, string>()).keys())
          expectThat(name !== '' && !/[=\0]/.test(name), `"${name}" is not the name of an environment variable`);
      }
    },
  },
  {
    name: 'allocate-cdi',
    title: 'names of CDI devices are valid',
    rule: 'A CDI device is named vendor/class=name, or the container runtime refuses the container.',
    source: 'Container Device Interface, SPEC.md, "kind" and "name"',
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      for (const { cdiDevices = [] } of await answersFor(calls, await calls.healthyIds()))
        for (const { name = '' } of cdiDevices)
          expectThat(CDI_NAME.test(name), `"${name}" is not the name of a CDI device, such as example.com/fpga=card0`);
    },
  },
  {
    name: 'allocate-unknown',
    title: 'Allocate of a device that the plugin does not have fails, and the plugin runs on',
    rule: 'A plugin refuses devices that it has not listed.',
    source: ALLOCATE,
    level: 'should',
    async run(world, signal) {
      const calls = await world.connect(signal);
      const failure = await calls.allocate([UNKNOWN_ID]).then(
        () => undefined,
        (error: unknown) => error,
      );
      expectThat(failure !== undefined, `Allocate of "${UNKNOWN_ID}", which the plugin has not listed, has succeeded`);
      await calls.list();
    },
  },
  {
    name: 'allocate-race',
    title: 'devices that are allocated at the same time get the answers of their own',
    rule: 'A kubelet may allocate devices of several pods at the same time.',
    source: ALLOCATE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      const ids = (await calls.healthyIds()).slice(0, MAX_AT_ONCE);
      const alone: (Answer | undefined)[] = [];
      for (const id of ids) alone.push((await calls.allocate([id]))[0]);
      const rounds = Math.ceil(MAX_AT_ONCE / ids.length);
      const tries = Array.from({ length: rounds }, () => ids).flat();
      const together = await Promise.all(tries.map((id) => calls.allocate([id])));
      for (const [index, [answer]] of together.entries())
        expectThat(
          deepEqual(plain(answer), plain(alone[index % ids.length])),
          `the answer for device "${tries[index] ?? ''}" among ${tries.length} at the same time differs from the one when it was alone`,
        );
    },
  },
  {
    name: 'pre-start',
    title: 'PreStartContainer is there when the plugin asks for it',
    rule: 'A plugin with preStartRequired is called before each start of a container, and has 30 seconds.',
    source: 'Device plugin API v1beta1, PreStartContainer',
    level: 'must',
    skip: (world) => world.withoutOption('preStartRequired'),
    async run(world, signal) {
      const calls = await world.connect(signal);
      if ((await calls.options()).preStartRequired !== true) return;
      const [id = ''] = await calls.healthyIds();
      await calls.allocate([id]);
      await calls.preStart([id]);
      await calls.preStart([id]); // a container that is started again
    },
  },
];

async function answersFor(
  calls: { allocate(ids: readonly string[]): Promise<readonly Answer[]> },
  ids: readonly string[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const id of ids.slice(0, MAX_AT_ONCE)) answers.push(...(await calls.allocate([id])));
  return answers;
}

function requirePath(what: string, path: string): void {
  expectThat(path.startsWith('/'), `the path of a ${what} is "${path}", which is not absolute`);
}

/** An answer that can be compared: maps become sorted lists. */
function plain(answer: Answer | undefined): unknown {
  const sorted = (map: ReadonlyMap<string, string> = new Map()): unknown =>
    [...map].map(([k, v]) => `${k}=${v}`).toSorted();
  return { ...answer, envs: sorted(answer?.envs), annotations: sorted(answer?.annotations) };
}
