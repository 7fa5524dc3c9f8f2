import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../../base/index.ts';
import { CriCalls, CriImages, CriRuntime } from '../../../cri/index.ts';
import type { ContainerConfig, PodSandboxConfig } from '../../../node/index.ts';
import type { FlagValues } from '../flag.ts';
import { program } from './program.ts';
import { readStatedImages } from './stated-images.ts';

const security = {
  namespaceOptions: { network: 'POD', pid: 'CONTAINER', ipc: 'POD' },
  supplementalGroups: [],
  supplementalGroupsPolicy: 'Merge',
  privileged: false,
  seccomp: { profileType: 'RuntimeDefault', localhostRef: '' },
} as const;

function pod(folder: string, annotations: Readonly<Record<string, string>>): PodSandboxConfig {
  return {
    metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 },
    hostname: 'web-host',
    logDirectory: join(folder, 'logs'),
    dnsConfig: { servers: ['10.96.0.10'], searches: ['svc.cluster.local'], options: ['ndots:5'] },
    portMappings: [],
    labels: {},
    annotations,
    linux: { cgroupParent: '', securityContext: security, sysctls: {} },
  };
}

function container(folder: string, command: readonly string[]): ContainerConfig {
  const mount = { readonly: false, recursiveReadOnly: false, propagation: 'PROPAGATION_PRIVATE' } as const;
  return {
    metadata: { name: 'shell', attempt: 0 },
    image: { image: 'busybox' },
    labels: {},
    annotations: { 'io.kubernetes.container.terminationMessagePath': '/dev/termination-log' },
    logPath: 'shell/0.log',
    command,
    args: [],
    workingDir: '',
    envs: [],
    mounts: [
      { ...mount, containerPath: '/settings', hostPath: join(folder, 'settings'), selinuxRelabel: false },
      { ...mount, containerPath: '/dev/termination-log', hostPath: join(folder, 'message'), selinuxRelabel: false },
    ],
    devices: [],
    cdiDevices: [],
    stdin: false,
    stdinOnce: false,
    tty: false,
    linux: {
      resources: { cpuPeriod: 0, cpuQuota: 0, cpuShares: 2, memoryLimitInBytes: 0, oomScoreAdj: 0, hugepageLimits: [] },
      securityContext: {
        ...security,
        addCapabilities: [],
        dropCapabilities: [],
        readonlyRootfs: false,
        noNewPrivs: false,
        isProcMasked: true,
      },
    },
  };
}

/** Runs the program with its default flags but for the socket. */
async function serve(folder: string): Promise<{ readonly runtime: CriRuntime; readonly images: CriImages }> {
  const endpoint = `unix://${join(folder, 'made', 'cri.sock')}`;
  const { standalone = {} } = program.flags;
  const flags: FlagValues = {
    has: (name) => name === 'listen',
    text: (name) => (name === 'listen' ? endpoint : (standalone[name]?.default as string | undefined)),
    isSet: () => false,
    list: () => [],
    integer: () => undefined,
  };
  const stop = new AbortController();
  const [clock, random] = [new RealClock(), new CryptoRandom()];
  let isServing = (): void => undefined;
  const serving = new Promise<void>((resolve) => (isServing = resolve));
  const tools = { clock, random, log: discardLogger, print: () => isServing(), signal: stop.signal };
  const body = await program.load();
  const running = body.standalone?.(flags, tools);
  const calls = new CriCalls({ endpoint, clock, random, log: discardLogger });
  onTestFinished(async () => {
    await calls[Symbol.asyncDispose]();
    stop.abort();
    await running;
    await rm(folder, { recursive: true, force: true });
  });
  await Promise.race([serving, running]);
  return { runtime: new CriRuntime('simulated', calls), images: new CriImages(calls) };
}

test('simulated containers follow commands and annotations; logs, messages and volumes are files of the machine', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-cri-'));
  const { runtime, images } = await serve(folder);
  await writeFile(join(folder, 'settings'), 'blue');
  await writeFile(join(folder, 'message'), '');
  const sandboxConfig = pod(folder, { 'sim.keelson.dev/exec-code': '0' });
  const podSandboxId = await runtime.runPodSandbox(sandboxConfig);
  await expect(runtime.runPodSandbox(sandboxConfig)).rejects.toThrow(
    `failed to reserve sandbox name "web_default_u_0": it is reserved for "${podSandboxId}"`,
  );
  const script = 'hostname; cat /settings; echo; cat /etc/resolv.conf; printf why > /dev/termination-log; exit 3';
  const config = container(folder, ['sh', '-c', script]);
  const request = { podSandboxId, config, sandboxConfig };
  await expect(runtime.createContainer(request)).rejects.toThrow('failed to resolve image "busybox": not found');
  await images.pullImage({ image: 'busybox' });
  const id = await runtime.createContainer(request);
  await runtime.startContainer(id);
  await expect
    .poll(() => runtime.containerStatus(id))
    .toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 3, reason: 'Error' });
  const log = await readFile(join(folder, 'logs', 'shell', '0.log'), 'utf8');
  expect(log.replace(/^\S+ /gm, '')).toBe(
    ['web-host', 'blue', 'search svc.cluster.local', 'nameserver 10.96.0.10', 'options ndots:5']
      .map((line) => `stdout F ${line}\n`)
      .join(''),
  );
  expect(await readFile(join(folder, 'message'), 'utf8')).toBe('why');
  await expect(runtime.execSync(id, ['true'])).rejects.toThrow('CONTAINER_EXITED');
  await expect(runtime.containerStatus('missing')).rejects.toMatchObject({ reason: 'NotFound' });
  await runtime.stopContainer('missing', 0);
  await runtime.removePodSandbox(podSandboxId);
  await runtime.removePodSandbox(podSandboxId);
  expect(await runtime.listContainers()).toEqual([]);
});

test('a file of images with a problem is refused in words', () => {
  const read = (text: string) => () =>
    readStatedImages(`apiVersion: keelson.dev/v1\nkind: SimulatedImages\n${text}\n`, 'images.yaml');
  expect(read('images: [{ id: x }]')).toThrow('Cannot use "images.yaml": images[0].names must have a name');
  expect(read('images: [{ names: [a, b] }]')).toThrow('images[0].id is required for an image with several names');
  expect(read('images: [{ names: [a], id: x }]')).toThrow('images[0].id must be sha256: and 64 hexadecimal digits');
  expect(read('images: [{ names: [a], colour: x }]')).toThrow('Cannot read "images.yaml"');
  expect(read('images: [{ names: [a], uid: 7, pullAfter: 2s }]')()).toEqual({ a: { uid: 7, pullMs: 2000 } });
});
