// A runtime that answers nonsense, hangs, lies or is away: calls fail in words, and nothing waits forever.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, nextTurn, RealClock, VirtualClock } from '../base/index.ts';
import type { ContainerEvent } from '../node/index.ts';
import { GrpcServer, type ServedMethod, streamMethod, unaryMethod } from '../wire/grpc/index.ts';
import { CriCalls } from './cri-calls.ts';
import { CriImages } from './cri-images.ts';
import { CriRuntime } from './cri-runtime.ts';
import { ImageService, RuntimeService as methods } from './protocol/runtime-v1.ts';

let folder: string;
let server: GrpcServer | undefined;
let calls: CriCalls;
let runtime: CriRuntime;
let clock: VirtualClock;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-cri-'));
  clock = new VirtualClock();
  const endpoint = `unix://${join(folder, 'cri.sock')}`;
  calls = new CriCalls({ endpoint, clock, random: new CryptoRandom(), log: discardLogger });
  runtime = new CriRuntime('test', calls);
});
afterEach(async () => {
  const closing = calls[Symbol.asyncDispose]();
  await clock.advance('10s'); // calls that hang are given up
  await closing;
  await server?.[Symbol.asyncDispose]();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function serve(...served: readonly ServedMethod[]): Promise<void> {
  server = await GrpcServer.listen({
    address: `unix://${join(folder, 'cri.sock')}`,
    methods: served,
    clock: new RealClock(),
    limits: { drainMs: 0 },
  });
}

/** A method whose answers are these bytes. */
const bytes = ({ path }: { readonly path: string }, answer: Uint8Array): ServedMethod => ({
  path,
  async *serve() {
    yield answer;
  },
});

const whole = { name: 'web', uid: 'u', namespace: 'default' };

test('answers that are no messages, or too large, are refused in words', async () => {
  await serve(
    bytes(methods.listContainers, Buffer.from([0x0a, 0xff, 0xff, 0xff])),
    bytes(methods.listPodSandbox, Buffer.alloc(17 * 1024 * 1024)),
  );
  await expect(runtime.listContainers()).rejects.toMatchObject({
    name: 'RuntimeError',
    message: expect.stringMatching(/^the runtime's answer to ListContainers cannot be read: /) as unknown,
  });
  await expect(runtime.listPodSandbox()).rejects.toMatchObject({
    name: 'RuntimeError',
    message: expect.stringMatching(/code = ResourceExhausted desc = .*16777216/) as unknown,
  });
});

test.each([
  ['is missing', undefined],
  ['has no id', { metadata: whole, createdAt: 1 }],
  ['has no metadata', { id: 's', createdAt: 1 }],
  ['does not name its pod', { id: 's', metadata: { name: 'web' }, createdAt: 1 }],
  ['has no time of creation', { id: 's', metadata: whole }],
  ['is about sandbox "other"', { id: 'other', metadata: whole, createdAt: 1 }],
])('a sandbox whose status %s is not believed', async (words, status) => {
  await serve(unaryMethod(methods.podSandboxStatus, async () => (status === undefined ? {} : { status })));
  await expect(runtime.podSandboxStatus('s')).rejects.toThrow(`the runtime's status of sandbox "s" ${words}`);
});

test('a container in a state that is not known counts as unknown; items of lists that are not whole are left out', async () => {
  const listed = { metadata: { name: 'web' }, podSandboxId: 's' };
  await serve(
    unaryMethod(methods.listContainers, async () => ({
      containers: [{ ...listed, id: 'c', state: 99 }, listed, { id: 'd' }],
    })),
    unaryMethod(methods.containerStatus, async () => ({
      status: { id: 'x', metadata: { name: 'web' }, createdAt: 1 },
    })),
  );
  expect(await runtime.listContainers()).toMatchObject([{ id: 'c', state: 'CONTAINER_UNKNOWN' }]);
  await expect(runtime.containerStatus('c')).rejects.toThrow('status of container "c" is about container "x"');
});

test('URLs of streams that are none are refused', async () => {
  await serve(unaryMethod(methods.exec, async () => ({ url: 'nowhere' })));
  const request = { containerId: 'c', cmd: [], tty: false, stdin: false, stdout: true, stderr: true };
  await expect(runtime.exec(request)).rejects.toThrow('the runtime returned no URL for a command, but "nowhere"');
});

/** Waits for work over the real socket, while no virtual time passes. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}

/** Serves these methods, with a connection that is open: connecting takes real time, and virtual time passes faster. */
async function serveConnected(...served: readonly ServedMethod[]): Promise<void> {
  await serve(
    unaryMethod(methods.version, async () => ({ runtimeName: 'test' })),
    ...served,
  );
  await runtime.version();
}

const never = (): Promise<never> => new Promise(() => undefined);

test('calls that hang end with their deadline: 30 s for the status, 2 min for others, 4 min for sandboxes', async () => {
  await serveConnected(
    unaryMethod(methods.status, never),
    unaryMethod(methods.listContainers, never),
    unaryMethod(methods.runPodSandbox, never),
  );
  const config = {
    metadata: { ...whole, attempt: 0 },
    hostname: '',
    logDirectory: '',
    portMappings: [],
    labels: {},
    annotations: {},
    linux: {
      cgroupParent: '',
      sysctls: {},
      securityContext: {
        namespaceOptions: { network: 'POD', pid: 'POD', ipc: 'POD' },
        supplementalGroups: [],
        supplementalGroupsPolicy: 'Merge',
        privileged: false,
        seccomp: { profileType: 'RuntimeDefault', localhostRef: '' },
      },
    },
  } as const;
  const ended: string[] = [];
  const noted = (name: string, call: Promise<unknown>): Promise<void> =>
    expect(call)
      .rejects.toMatchObject({ reason: 'DeadlineExceeded' })
      .then(() => void ended.push(name));
  const all = [
    noted('status', runtime.status()),
    noted('list', runtime.listContainers()),
    noted('sandbox', runtime.runPodSandbox(config)),
  ];
  await clock.advance('29s');
  expect(ended).toEqual([]);
  await clock.advance('1s');
  await all[0];
  expect(ended).toEqual(['status']);
  await clock.advance('90s');
  await all[1];
  expect(ended).toEqual(['status', 'list']);
  await clock.advance('2m');
  await all[2];
});

test('a runtime that is away fails a call within seconds, and is found again when it is back', async () => {
  const failed = expect(runtime.version()).rejects.toMatchObject({ reason: 'Unavailable' });
  await clock.advance('3s');
  await failed;
  await serve(unaryMethod(methods.version, async () => ({ runtimeName: 'back' })));
  expect(await runtime.version()).toMatchObject({ runtimeName: 'back' });
});

test('a pull has no deadline; aborting ends it', async () => {
  await serveConnected(unaryMethod(ImageService.pullImage, never));
  const stop = new AbortController();
  const ended = expect(new CriImages(calls).pullImage({ image: 'large' }, { signal: stop.signal })).rejects.toThrow(
    'no longer wanted',
  );
  await clock.advance('1h');
  stop.abort(new Error('no longer wanted'));
  await ended;
});

test.each(['refuses', 'ends'])('the containers of a runtime that %s events are listed every second', async (how) => {
  let containers = [
    { id: 'c', state: 1, metadata: { name: 'web' }, labels: new Map([['io.kubernetes.pod.name', 'web']]) },
  ];
  let lists = 0;
  const ending = streamMethod(methods.getContainerEvents, async function* () {
    // there is none
  });
  await serveConnected(
    unaryMethod(methods.listContainers, async () => {
      lists += 1;
      return { containers };
    }),
    ...(how === 'ends' ? [ending] : []),
  );
  const stop = new AbortController();
  const seen: ContainerEvent[] = [];
  const follow = async (): Promise<void> => {
    for await (const event of runtime.containerEvents(stop.signal)) seen.push(event);
  };
  const following = follow();
  const nextList = async (): Promise<void> => {
    const wanted = lists + 1;
    await clock.advance('1s');
    await until(() => lists === wanted);
  };
  await until(() => lists === 1);
  await nextList();
  expect(seen).toEqual([]);
  containers = containers.map((each) => ({ ...each, state: 2 }));
  await nextList();
  containers = [];
  await nextList();
  await until(() => seen.length === 2);
  expect(seen).toMatchObject([
    { containerId: 'c', containerEventType: 'CONTAINER_STOPPED_EVENT', pod: { name: 'web' } },
    { containerId: 'c', containerEventType: 'CONTAINER_DELETED_EVENT' },
  ]);
  stop.abort();
  await following;
});
