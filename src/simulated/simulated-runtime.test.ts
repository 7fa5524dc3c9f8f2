import { describe, expect, test } from 'vitest';
import { SeededRandom, settle, VirtualClock } from '../base/index.ts';
import {
  CONTAINER_KIND,
  type ContainerConfig,
  containerIdentity,
  type PodSandboxConfig,
  sandboxConfig,
} from '../node/index.ts';
import { podOf } from '../node/testing/pod-views.ts';
import { SandboxRegistry } from './sandbox-registry.ts';
import { ScriptedLogs } from './scripted-logs.ts';
import { PodAddresses } from './pod-addresses.ts';
import { SimulatedImages } from './simulated-images.ts';
import { simulatedMachine } from './simulated-machine.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';
import { UsageMeter } from './usage-meter.ts';

const SETTINGS = {
  name: 'n',
  podCidrs: [],
  addresses: ['10.0.0.1'],
  port: 0,
  labels: {},
  taints: [],
  drivers: [],
  maxParallelPulls: 1,
};
const MACHINE = simulatedMachine(SETTINGS, {});

function runtime(podCidrs: readonly string[] = ['10.244.0.0/24']): {
  clock: VirtualClock;
  runtime: SimulatedRuntime;
  images: SimulatedImages;
} {
  const clock = new VirtualClock();
  const registry = new SandboxRegistry(clock);
  const images = new SimulatedImages(clock);
  const logs = new ScriptedLogs(clock, (id) => registry.container(id));
  const usage = new UsageMeter(clock, registry);
  const random = new SeededRandom('runtime');
  const content = async (): Promise<undefined> => undefined;
  const addresses = new PodAddresses(podCidrs);
  const parts = {
    clock,
    random,
    addresses,
    version: '1.0.0',
    machine: MACHINE,
    registry,
    images,
    logs,
    usage,
    content,
  };
  return { clock, images, runtime: new SimulatedRuntime(parts) };
}

function sandbox(uid: string, annotations: Record<string, string> = {}): PodSandboxConfig {
  return sandboxConfig(podOf({ metadata: { uid, annotations } }), 0, MACHINE);
}

function container(kind = 'regular', attempt = 0): ContainerConfig {
  const pod = podOf({});
  const spec = { name: 'c', image: 'nginx' };
  return {
    ...containerIdentity(pod, spec, attempt),
    annotations: { [CONTAINER_KIND]: kind },
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
    linux: { securityContext: {} } as ContainerConfig['linux'], // no limits
  };
}

function create(on: SimulatedRuntime, podSandboxId: string, config = container()): Promise<string> {
  return on.createContainer({ podSandboxId, config, sandboxConfig: sandbox('u1') });
}

async function started(
  on: SimulatedRuntime,
  annotations: Record<string, string>,
  config = container(),
): Promise<{ id: string; sandboxId: string }> {
  const sandboxId = await on.runPodSandbox(sandbox('u1', annotations));
  const id = await create(on, sandboxId, config);
  await on.startContainer(id);
  return { id, sandboxId };
}

describe('the simulated runtime', () => {
  test('runs a container until it is stopped', async () => {
    const { clock, runtime: on } = runtime();
    const { id } = await started(on, {});
    await clock.advance('30d');
    expect((await on.containerStatus(id)).state).toBe('CONTAINER_RUNNING');
    await on.stopContainer(id, 30);
    expect(await on.containerStatus(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 0, reason: 'Completed' });
  });

  test('lets init containers exit at once', async () => {
    const { clock, runtime: on } = runtime();
    const { id } = await started(on, {}, container('init'));
    await clock.advance('1s');
    expect(await on.containerStatus(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 0 });
  });

  test('returns full image names, with a stable digest', async () => {
    const { runtime: on, images } = runtime();
    const { id } = await started(on, {});
    const { image, imageRef } = await on.containerStatus(id);
    expect(image.image).toBe('docker.io/library/nginx:latest');
    expect(imageRef).toMatch(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/);
    expect(await images.pullImage({ image: 'docker.io/library/nginx' })).toBe(imageRef);
    expect(await images.pullImage({ image: 'quay.io/a/b:1' })).toMatch(/^quay\.io\/a\/b@sha256:/);
  });

  test('kills a container that does not stop in time', async () => {
    const { clock, runtime: on } = runtime();
    const { id } = await started(on, { 'sim.keelson.dev/stop-after': '1m' });
    const stopped = on.stopContainer(id, 30);
    await clock.advance('29s');
    expect((await on.containerStatus(id)).state).toBe('CONTAINER_RUNNING');
    await clock.advance('1s');
    await stopped;
    expect(await on.containerStatus(id)).toMatchObject({ exitCode: 137, reason: 'Error' });
  });

  test('gives each run its value of a list', async () => {
    const { clock, runtime: on } = runtime();
    const annotations = { 'sim.keelson.dev/exit-code': '3, 4', 'sim.keelson.dev/exit-after': '1s' };
    const { sandboxId } = await started(on, annotations);
    const codes: number[] = [];
    for (const attempt of [0, 1, 2]) {
      const id = await create(on, sandboxId, container('regular', attempt));
      await on.startContainer(id);
      await clock.advance('1s');
      codes.push((await on.containerStatus(id)).exitCode);
    }
    expect(codes).toEqual([3, 4, 4]);
  });

  test('rejects an invalid script', async () => {
    const { runtime: on } = runtime();
    await expect(started(on, { 'sim.keelson.dev/exit-after': 'soon' })).rejects.toThrow(
      'Cannot read annotation "sim.keelson.dev/exit-after": time: invalid duration "soon"',
    );
    await expect(started(on, { 'sim.keelson.dev/exit-code': '300' })).rejects.toThrow(
      'Cannot read annotation "sim.keelson.dev/exit-code": must be a number from 0 to 255, got "300"',
    );
  });

  test('fails as its script says', async () => {
    const { runtime: on } = runtime();
    await expect(on.runPodSandbox(sandbox('u2', { 'sim.keelson.dev/sandbox-fails': 'no network' }))).rejects.toThrow(
      'no network',
    );
    await expect(started(on, { 'sim.keelson.dev/create-fails': 'no device' })).rejects.toThrow('no device');
    await expect(started(on, { 'sim.keelson.dev/start-fails': 'no such file' })).rejects.toThrow('no such file');
    const [dead] = await on.listContainers();
    expect(dead).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 128,
      reason: 'StartError',
      message: 'no such file',
    });
  });

  test('assigns addresses and releases them when a pod stops', async () => {
    const { runtime: on } = runtime(['10.244.0.0/30', 'fd00::/64']);
    const first = await on.runPodSandbox(sandbox('u1'));
    expect((await on.podSandboxStatus(first)).status.network).toEqual({ ip: '10.244.0.2', additionalIps: ['fd00::2'] });
    await expect(on.runPodSandbox(sandbox('u2'))).rejects.toThrow(
      'no IP addresses available in range set: 10.244.0.0/30',
    );
    await on.stopPodSandbox(first);
    const third = await on.runPodSandbox(sandbox('u3'));
    expect((await on.podSandboxStatus(third)).status.network.ip).toBe('10.244.0.2');
  });

  test('reports container events until the listener leaves', async () => {
    const { runtime: on } = runtime();
    const stop = new AbortController();
    const seen: string[] = [];
    const listening = (async () => {
      for await (const { containerEventType, pod } of on.containerEvents(stop.signal))
        seen.push(`${pod.name} ${containerEventType}`);
    })();
    const { id } = await started(on, {});
    await on.stopContainer(id, 1);
    await on.removeContainer(id);
    await settle();
    stop.abort();
    await listening;
    expect(seen).toEqual([
      'web CONTAINER_CREATED_EVENT',
      'web CONTAINER_STARTED_EVENT',
      'web CONTAINER_STOPPED_EVENT',
      'web CONTAINER_DELETED_EVENT',
    ]);
  });
});
