import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CriClient, criClient, criServer } from 'keelson/cri';
import { expect, onTestFinished, test } from 'vitest';
import { functionRuntime } from './function-runtime.ts';

type Sandbox = Parameters<CriClient['runtime']['runPodSandbox']>[0];
type Container = Parameters<CriClient['runtime']['createContainer']>[0]['config'];

const security: Sandbox['linux']['securityContext'] = {
  namespaceOptions: { network: 'POD', pid: 'CONTAINER', ipc: 'POD' },
  supplementalGroups: [],
  supplementalGroupsPolicy: 'Merge',
  privileged: false,
  seccomp: { profileType: 'RuntimeDefault', localhostRef: '' },
};

function pod(logDirectory: string): Sandbox {
  return {
    metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 },
    hostname: 'web',
    logDirectory,
    portMappings: [],
    labels: {},
    annotations: {},
    linux: { cgroupParent: '', securityContext: security, sysctls: {} },
  };
}

function container(image: string): Container {
  return {
    metadata: { name: image, attempt: 0 },
    image: { image },
    labels: {},
    annotations: {},
    logPath: `${image}.log`,
    command: [],
    args: [],
    workingDir: '',
    envs: [],
    mounts: [],
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

test('functions run as containers, with logs, commands and exit codes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'functions-'));
  const stop = new AbortController();
  const listen = `unix://${join(folder, 'cri.sock')}`;
  const server = criServer(functionRuntime(), { listen });
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await rm(folder, { recursive: true });
  });
  await server.listening();
  await using client = criClient(listen);
  const { runtime, images } = client;
  expect(await runtime.version()).toMatchObject({ runtimeName: 'function', runtimeVersion: '1.0.0' });
  await expect(images.pullImage({ image: 'nginx' })).rejects.toThrow('there is no function "nginx"');

  const sandboxConfig = pod(folder);
  const podSandboxId = await runtime.runPodSandbox(sandboxConfig);
  const start = async (image: string): Promise<string> => {
    await images.pullImage({ image });
    const id = await runtime.createContainer({ podSandboxId, config: container(image), sandboxConfig });
    await runtime.startContainer(id);
    return id;
  };
  const hello = await start('hello');
  await expect.poll(() => runtime.containerStatus(hello)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 0 });
  expect(await readFile(join(folder, 'hello.log'), 'utf8')).toMatch(/^\S+Z stdout F hello from hello\n$/);

  const sleeper = await start('sleeper');
  const { stdout } = await runtime.execSync(sleeper, ['good', 'morning']);
  expect(Buffer.from(stdout).toString()).toBe('you said: good morning\n');
  await runtime.stopContainer(sleeper, 30);
  expect(await runtime.containerStatus(sleeper)).toMatchObject({ exitCode: 143, reason: 'Error' });
  await runtime.removePodSandbox(podSandboxId);
  expect(await runtime.listContainers()).toEqual([]);
});
