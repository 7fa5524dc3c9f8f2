import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../base/index.ts';
import type { ContainerConfig, PodSandboxConfig } from '../node/index.ts';
import { GrpcError, GrpcServer, type ServedMethod, streamMethod, unaryMethod } from '../wire/grpc/index.ts';
import type { MessageOf } from '../wire/protobuf/index.ts';
import { CriCalls } from './cri-calls.ts';
import { CriRuntime, runtimeCgroupDriver } from './cri-runtime.ts';
import {
  CgroupDriver,
  type containerEventResponse,
  ContainerState,
  RuntimeService as methods,
} from './protocol/runtime-v1.ts';

let folder: string;
let server: GrpcServer | undefined;
let calls: CriCalls;
let runtime: CriRuntime;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-cri-'));
  const endpoint = `unix://${join(folder, 'cri.sock')}`;
  calls = new CriCalls({ endpoint, clock: new RealClock(), random: new CryptoRandom(), log: discardLogger });
  runtime = new CriRuntime('test', calls);
});
afterEach(async () => {
  await calls[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function serve(...served: readonly ServedMethod[]): Promise<void> {
  server = await GrpcServer.listen({
    address: `unix://${join(folder, 'cri.sock')}`,
    methods: served,
    clock: new RealClock(),
  });
}

const security = {
  namespaceOptions: { network: 'POD', pid: 'CONTAINER', ipc: 'POD' },
  supplementalGroups: [7],
  supplementalGroupsPolicy: 'Merge',
  privileged: false,
  seccomp: { profileType: 'RuntimeDefault', localhostRef: '' },
} as const;
const sandbox: PodSandboxConfig = {
  metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 1 },
  hostname: 'web',
  logDirectory: '/var/log/pods/x',
  portMappings: [{ protocol: 'UDP', containerPort: 53, hostPort: 5353, hostIp: '' }],
  labels: { app: 'web' },
  annotations: {},
  linux: { cgroupParent: '/kubepods/podu', securityContext: security, sysctls: { 'net.ipv4.ip_forward': '1' } },
};
const container: ContainerConfig = {
  metadata: { name: 'c', attempt: 2 },
  image: { image: 'busybox' },
  labels: {},
  annotations: {},
  logPath: 'c/2.log',
  command: ['sh'],
  args: ['-c', 'true'],
  workingDir: '/tmp',
  envs: [{ key: 'A', value: 'ä' }],
  mounts: [],
  devices: [],
  cdiDevices: ['a.b/c=d'],
  stdin: false,
  stdinOnce: false,
  tty: true,
  stopSignal: 'SIGINT',
  linux: {
    resources: { cpuPeriod: 1, cpuQuota: 2, cpuShares: 3, memoryLimitInBytes: 4, oomScoreAdj: -5, hugepageLimits: [] },
    securityContext: {
      ...security,
      runAsUser: 0,
      addCapabilities: ['NET_ADMIN'],
      dropCapabilities: [],
      readonlyRootfs: true,
      noNewPrivs: true,
      isProcMasked: true,
    },
  },
};

test('what a node asks for reaches the runtime as the interface writes it', async () => {
  const asked: unknown[] = [];
  await serve(
    unaryMethod(methods.runPodSandbox, async (request) => {
      asked.push(request);
      return { podSandboxId: 's' };
    }),
    unaryMethod(methods.createContainer, async (request) => {
      asked.push(request);
      return { containerId: 'c' };
    }),
  );
  expect(await runtime.runPodSandbox(sandbox, { runtimeHandler: 'kata' })).toBe('s');
  expect(await runtime.createContainer({ podSandboxId: 's', config: container, sandboxConfig: sandbox })).toBe('c');
  expect(asked[0]).toMatchObject({
    runtimeHandler: 'kata',
    config: {
      metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 1 },
      portMappings: [{ protocol: 1, containerPort: 53, hostPort: 5353 }],
      labels: new Map([['app', 'web']]),
      linux: { cgroupParent: '/kubepods/podu', sysctls: new Map([['net.ipv4.ip_forward', '1']]) },
    },
  });
  expect(asked[1]).toMatchObject({
    podSandboxId: 's',
    config: {
      envs: [{ key: 'A', value: Buffer.from('ä') }],
      cdiDevices: [{ name: 'a.b/c=d' }],
      stopSignal: 10,
      linux: {
        resources: { cpuShares: 3, oomScoreAdj: -5 },
        securityContext: { runAsUser: { value: 0 }, readonlyPaths: expect.arrayContaining(['/proc/sys']) as unknown },
      },
    },
  });
});

test('statuses are in milliseconds, and name the sandbox of the container', async () => {
  const createdAt = 1_700_000_000_000_000_000;
  const listed = { id: 'c', podSandboxId: 's', metadata: { name: 'web', attempt: 3 } };
  await serve(
    unaryMethod(methods.containerStatus, async () => ({
      status: {
        id: 'c',
        metadata: { name: 'web', attempt: 3 },
        state: ContainerState.CONTAINER_EXITED,
        createdAt,
        startedAt: createdAt,
        exitCode: 137,
        reason: 'OOMKilled',
        labels: new Map([['a', 'b']]),
        mounts: [{ containerPath: '/a', hostPath: '/b' }, { image: { image: 'sha256:1' } }],
        user: { linux: { uid: 1000, supplementalGroups: [7] } },
      },
    })),
    unaryMethod(methods.listContainers, async () => ({ containers: [listed] })),
  );
  expect(await runtime.containerStatus('c')).toMatchObject({
    podSandboxId: 's',
    metadata: { name: 'web', attempt: 3 },
    state: 'CONTAINER_EXITED',
    createdAtMs: 1_700_000_000_000,
    finishedAtMs: undefined,
    exitCode: 137,
    reason: 'OOMKilled',
    labels: { a: 'b' },
    mountedImages: ['sha256:1'],
    user: { linux: { uid: 1000, gid: 0, supplementalGroups: [7] } },
  });
  expect((await runtime.listContainers())[0]).not.toHaveProperty('mountedImages'); // lists do not say it
});

test('refusals have a reason, and the words that events of pods show', async () => {
  await serve(
    unaryMethod(methods.containerStatus, async () => {
      throw new GrpcError('NOT_FOUND', 'no such container');
    }),
  );
  await expect(runtime.containerStatus('c')).rejects.toMatchObject({
    reason: 'NotFound',
    message: 'rpc error: code = NotFound desc = no such container',
  });
  expect(await runtimeCgroupDriver(calls)).toBeUndefined(); // an old runtime does not know the question
});

test('the cgroup driver is that of the runtime', async () => {
  await serve(unaryMethod(methods.runtimeConfig, async () => ({ linux: { cgroupDriver: CgroupDriver.CGROUPFS } })));
  expect(await runtimeCgroupDriver(calls)).toBe('cgroupfs');
});

test('events come until the runtime ends them', async () => {
  const podSandboxStatus = { metadata: { name: 'web', uid: 'u', namespace: 'default' } };
  await serve(
    streamMethod(methods.getContainerEvents, async function* (): AsyncGenerator<
      MessageOf<typeof containerEventResponse>
    > {
      yield { containerId: 'c', containerEventType: 1, createdAt: 5_000_000, podSandboxStatus };
      yield { containerId: 'c', containerEventType: 99, podSandboxStatus };
      yield { containerId: 'c', containerEventType: 2, podSandboxStatus };
    }),
  );
  const events = [];
  for await (const event of runtime.containerEvents(new AbortController().signal)) events.push(event);
  expect(events.map(({ containerEventType }) => containerEventType)).toEqual([
    'CONTAINER_STARTED_EVENT',
    'CONTAINER_STOPPED_EVENT',
  ]);
  expect(events[0]).toMatchObject({ createdAtMs: 5, pod: { uid: 'u', attempt: 0 } });
});
