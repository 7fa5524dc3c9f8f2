// A device plugin that keeps all rules, or breaks one: `planted-plugin FOLDER [FAULT]`. A device is broken while the file FOLDER/broken exists.
import { existsSync, linkSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aborted, CryptoRandom, discardLogger, keepAlive, RealClock } from '../../../src/base/index.ts';
import {
  DevicePlugin,
  type listAndWatchResponse,
  Registration,
} from '../../../src/devices/protocol/device-plugin-v1beta1.ts';
import {
  GrpcError,
  GrpcServer,
  removeStaleSocket,
  SocketCalls,
  streamMethod,
  unaryMethod,
} from '../../../src/wire/grpc/index.ts';
import type { MessageOf } from '../../../src/wire/protobuf/index.ts';

const [folder = '', fault = ''] = process.argv.slice(2);
const clock = new RealClock();
const kubelet = join(folder, 'kubelet.sock');
const own = join(folder, 'planted.sock');
const broken = join(folder, 'broken');
const suffix = fault === 'new-ids' ? `-${process.pid}` : '';
const ids = ['card0', 'card1', 'card2', 'card3'].map((id) => `${id}${suffix}`);
const options = { preStartRequired: true, getPreferredAllocationAvailable: true };

const stop = new AbortController();
const alive = keepAlive();
process.once('SIGINT', () => stop.abort());
process.on('SIGTERM', () => {
  if (fault !== 'ignores-signal') stop.abort();
});
process.on('exit', () => {
  if (fault === 'leaves-socket' && existsSync(`${own}.kept`)) linkSync(`${own}.kept`, own);
});

let lists = 0;
let isServing = fault !== 'serves-after-registration';
const allocated = new Set<string>();
let current: readonly string[] = [];

function devices(): { id: string; health: string }[] {
  const isBroken = existsSync(broken) && fault !== 'hides-health';
  const listed = fault === 'same-id-twice' ? [...ids, ids[0] ?? ''] : ids;
  const healthy = fault === 'invented-health' ? 'Good' : 'Healthy';
  return listed.map((id, index) => ({ id, health: isBroken && index === 0 ? 'Unhealthy' : healthy }));
}

async function answerFor(wanted: readonly string[]): Promise<object> {
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown !== undefined && fault !== 'takes-unknown') throw new GrpcError('NOT_FOUND', `no device ${unknown}`);
  if (fault === 'allocates-once' && wanted.some((id) => allocated.has(id)))
    throw new GrpcError('FAILED_PRECONDITION', 'allocated already');
  for (const id of wanted) allocated.add(id);
  current = wanted;
  await clock.sleep(1); // other calls come in between
  const given = fault === 'mixes-answers' ? current : wanted;
  return {
    envs: new Map([['CARDS', given.join(',')]]),
    devices: given.map((id) => ({
      hostPath: fault === 'relative-path' ? `dev/${id}` : `/dev/${id}`,
      containerPath: `/dev/${id}`,
      permissions: fault === 'no-permissions' ? '' : 'rw',
    })),
    cdiDevices: given.map((id) => ({ name: fault === 'wrong-cdi-name' ? `card:${id}` : `example.com/card=${id}` })),
  };
}

const methods = [
  unaryMethod(DevicePlugin.getDevicePluginOptions, async () => {
    if (!isServing) throw new GrpcError('UNAVAILABLE', 'not yet');
    return fault === 'other-options' ? { preStartRequired: false, getPreferredAllocationAvailable: true } : options;
  }),
  streamMethod(DevicePlugin.listAndWatch, async function* (_requests, { signal }): AsyncGenerator<
    MessageOf<typeof listAndWatchResponse>
  > {
    lists += 1;
    if (fault === 'waits-with-first-list') await aborted(AbortSignal.any([signal, stop.signal]));
    if (fault === 'lists-once' && lists > 1) yield { devices: [] };
    else yield { devices: devices() };
    let before = JSON.stringify(devices());
    while (!signal.aborted && !stop.signal.aborted && fault !== 'ends-list') {
      await clock.sleep(20, AbortSignal.any([signal, stop.signal]));
      const now = JSON.stringify(devices());
      if (now !== before) yield { devices: devices() };
      before = now;
    }
  }),
  unaryMethod(DevicePlugin.allocate, async ({ containerRequests = [] }) => {
    const answers: object[] = [];
    for (const { devicesIds = [] } of containerRequests) answers.push(await answerFor(devicesIds));
    if (fault === 'no-answer') return { containerResponses: [] };
    return { containerResponses: fault === 'one-answer-for-all' ? answers.slice(0, 1) : answers };
  }),
  unaryMethod(DevicePlugin.getPreferredAllocation, async ({ containerRequests = [] }) => ({
    containerResponses: containerRequests.map((request) => {
      const { availableDeviceIDs = [], mustIncludeDeviceIDs = [], allocationSize = 0 } = request;
      const must = fault === 'ignores-must-include' ? [] : mustIncludeDeviceIDs;
      const all = [...new Set([...must, ...(fault === 'prefers-unavailable' ? ids : availableDeviceIDs)])];
      return { deviceIDs: all.slice(0, allocationSize + (fault === 'prefers-too-many' ? 1 : 0)) };
    }),
  })),
  ...(fault === 'no-pre-start' ? [] : [unaryMethod(DevicePlugin.preStartContainer, async () => ({}))]),
];

function identity(path: string): string {
  try {
    const { ino, ctimeMs } = lstatSync(path);
    return `${ino} ${ctimeMs}`;
  } catch {
    return '';
  }
}

async function register(): Promise<void> {
  const tools = { clock, random: new CryptoRandom(), log: discardLogger };
  await using calls = new SocketCalls({ endpoint: `unix://${kubelet}`, server: 'the kubelet', ...tools });
  await calls.call(Registration.register, {
    version: fault === 'wrong-version' ? 'v1alpha1' : 'v1beta1',
    endpoint: fault === 'endpoint-with-path' ? `../${folder.split('/').at(-1) ?? ''}/planted.sock` : 'planted.sock',
    resourceName: fault === 'native-resource' ? 'cpu' : 'example.com/card',
    options,
  });
}

let registrations = 0;
const maxRegistrations = fault === 'registers-once' ? 1 : fault === 'registers-twice' ? 2 : Infinity;
const hang = (): Promise<void> => aborted(stop.signal);
while (!stop.signal.aborted) {
  const seen = identity(kubelet);
  if (seen === '' || registrations >= maxRegistrations) {
    if (fault === 'needs-kubelet-first' && registrations === 0) await hang();
    await clock.sleep(20, stop.signal);
    continue;
  }
  if (fault === 'fails-on-old-socket') {
    if (existsSync(own)) process.exit(1);
  } else {
    await removeStaleSocket(own);
  }
  rmSync(`${own}.kept`, { force: true });
  await using _server = await GrpcServer.listen({ address: `unix:${own}`, methods, clock });
  if (fault === 'leaves-socket') linkSync(own, `${own}.kept`);
  const made = identity(own);
  try {
    await register();
    isServing = true;
    registrations += 1;
  } catch {
    if (fault === 'gives-up') await hang();
    await clock.sleep(50, stop.signal);
    continue;
  }
  while (!stop.signal.aborted && identity(kubelet) === seen && identity(own) === made)
    await clock.sleep(20, stop.signal);
}
alive[Symbol.dispose]();
