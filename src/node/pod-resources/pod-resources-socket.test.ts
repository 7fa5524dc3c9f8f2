import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock, VirtualClock } from '../../base/index.ts';
import { keyOf } from '../../client/index.ts';
import { Channel } from '../../wire/grpc/index.ts';
import { UNLIMITED } from '../backend/index.ts';
import { podOf } from '../testing/pod-views.ts';
import { PodResourcesSocket } from './pod-resources-socket.ts';
import { PodResourcesLister as methods } from './protocol/pod-resources-v1.ts';
import { PodResourcesLister as alpha } from './protocol/pod-resources-v1alpha1.ts';

let root: string;
let channel: Channel;
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-pod-resources-'));
  stop = new AbortController();
  const address = `unix://${join(root, 'pod-resources', 'kubelet.sock')}`;
  channel = new Channel({ endpoints: [address], clock: new RealClock(), random: new CryptoRandom() });
});

afterEach(async () => {
  await channel[Symbol.asyncDispose]();
  stop.abort();
  await running;
  await rm(root, { recursive: true });
});

const FPGA = { resource: 'example.com/fpga', id: 'a', isHealthy: true, nodes: [1] };
const CLAIM = {
  ...{ name: 'gpus', claimName: 'web-gpus', claimNamespace: 'default' },
  devices: [
    {
      ...{ driver: 'gpu.example.com', pool: 'n1', device: 'gpu-0', shareId: 'part', requests: ['gpu'] },
      ...{ cdiDevices: ['example.com/gpu=0'], health: 'Healthy' as const, message: '' },
    },
  ],
};
const container = (name: string): { readonly name: string; readonly image: string } => ({ name, image: 'nginx' });
const web = podOf({
  metadata: { name: 'web', uid: 'u1' },
  spec: {
    initContainers: [container('setup'), { ...container('proxy'), restartPolicy: 'Always' }],
    containers: [container('web')],
  },
});
const ended = podOf({ metadata: { name: 'ended', uid: 'u2' }, status: { phase: 'Succeeded' } });

/** The clock is virtual, so that the rate is. */
function start(): VirtualClock {
  const clock = new VirtualClock();
  const socket = new PodResourcesSocket({ root, clock, log: discardLogger });
  socket.serve({
    pods: () => [web, ended],
    pod: (key) => [web, ended].find((pod) => keyOf(pod) === key),
    resources: {
      ...UNLIMITED,
      given: (uid, name) =>
        uid === 'u1' && name === 'web'
          ? { cpus: [2, 3], memory: [{ type: 'memory', size: 2 ** 33, nodes: [1] }] }
          : { cpus: [], memory: [] },
      givable: () => ({ cpus: [1, 2, 3], memory: [] }),
    },
    devices: {
      given: (uid, name) => (uid === 'u1' && name === 'web' ? [FPGA] : []),
      claimed: (pod, { name }) => (pod.metadata.uid === 'u1' && name === 'web' ? [CLAIM] : []),
      givable: () => [FPGA, { ...FPGA, id: 'b', nodes: [] }],
    },
  });
  running = socket.run(stop.signal);
  return clock;
}

test('clients of the socket see what each container of a running pod has for itself', async () => {
  start();
  const own = [
    { name: 'proxy' },
    {
      name: 'web',
      cpuIds: [2, 3],
      devices: [{ resourceName: 'example.com/fpga', deviceIds: ['a'], topology: { nodes: [{ id: 1 }] } }],
      memory: [{ memoryType: 'memory', size: 2 ** 33, topology: { nodes: [{ id: 1 }] } }],
      dynamicResources: [
        {
          ...{ claimName: 'web-gpus', claimNamespace: 'default' },
          claimResources: [
            {
              cdiDevices: [{ name: 'example.com/gpu=0' }],
              ...{ driverName: 'gpu.example.com', poolName: 'n1', deviceName: 'gpu-0', shareId: 'part' },
            },
          ],
        },
      ],
    },
  ];
  expect(await channel.call(methods.list, {})).toMatchObject({
    podResources: [{ name: 'web', namespace: 'default', containers: own }],
  });
  expect(await channel.call(methods.get, { podName: 'web', podNamespace: 'default' })).toMatchObject({
    podResources: { name: 'web', containers: own },
  });
  await expect(channel.call(methods.get, { podName: 'other', podNamespace: 'default' })).rejects.toMatchObject({
    code: 'UNKNOWN',
    message: expect.stringContaining('pod other in namespace default not found') as string,
  });
  expect(await channel.call(methods.getAllocatableResources, {})).toMatchObject({
    cpuIds: [1, 2, 3],
    devices: [{ deviceIds: ['a'] }, { deviceIds: ['b'] }],
  });
});

test('clients of the first version see the devices of all pods', async () => {
  start();
  expect(await channel.call(alpha.list, {})).toMatchObject({
    podResources: [
      {
        ...{ name: 'web', namespace: 'default' },
        containers: [{ name: 'web', devices: [{ resourceName: 'example.com/fpga', deviceIds: ['a'] }] }],
      },
      { name: 'ended' },
    ],
  });
});

test('ten requests are served at once, and a hundred a second', async () => {
  const clock = start();
  const ask = (): Promise<unknown> =>
    channel.call(methods.list, {}).catch((error: unknown) => (error as { readonly message: string }).message);
  const answers = [];
  for (let count = 0; count < 11; count++) answers.push(await ask());
  expect(answers.filter((answer) => typeof answer === 'string')).toEqual([
    expect.stringContaining('rejected by rate limit'),
  ]);
  await clock.advance('10ms');
  expect(typeof (await ask())).toBe('object');
  expect(typeof (await ask())).toBe('string');
});
