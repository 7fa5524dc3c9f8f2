// What every backend of a node has to do, seen through the agent.
import { describe, expect, test } from 'vitest';
import type { VirtualClock } from '../../base/index.ts';
import { skipWhen } from '../../base/testing/requires.ts';
import { mergePatch } from '../../client/index.ts';
import type { DeviceEdits, NodeBackend, OpenNodeBackend } from '../backend/index.ts';
import type { NodeAgent } from '../node-agent.ts';
import { nodeAgents } from '../node-agents.ts';
import type { PodNetwork } from '../pod-network.ts';
import { NodeCluster } from './node-cluster.ts';

/** A backend under test, and the test's ways to make its containers do something. */
export interface TestedBackend {
  readonly open: OpenNodeBackend;
  /** Waits until no call of the backend is under way; default `settle` of src/base. */
  settle?(): Promise<void>;
  /** Ends the program of a running container with this code. */
  exit(cluster: NodeCluster, pod: string, code: number): Promise<void>;
  /** Everything that the backend still has of pods: ids of sandboxes and containers, paths. */
  rest(backend: NodeBackend): Promise<readonly string[]>;
  /** Called for backends with a network switch only. */
  setNetworkReady(isReady: boolean): void;
  /** Called for backends with device edits only. */
  setEdits(edits: DeviceEdits): void;
}

/** What a test can do with a backend, and what the backend keeps. Tests that need more are skipped, and the report says why. */
export interface BackendCapabilities {
  /** A test can make the network of the runtime fail. */
  readonly networkSwitch: boolean;
  /** A test can set the edits that devices make. */
  readonly deviceEdits: boolean;
  /** Plugins list the volumes that they have mounted. */
  readonly mountedVolumes: boolean;
}

class Run implements AsyncDisposable {
  readonly cluster: NodeCluster;
  readonly #opened: NodeBackend[];
  readonly #agents: NodeAgent[];

  static async start({ open, settle }: TestedBackend, options: { readonly network?: PodNetwork } = {}): Promise<Run> {
    const opened: NodeBackend[] = [];
    const agents: NodeAgent[] = [];
    const backend: OpenNodeBackend = async (node, context) => {
      const made = await open(node, context);
      opened.push(made);
      return made;
    };
    const cluster = await NodeCluster.start(
      nodeAgents({ ...options, backend, onAgent: (agent) => agents.push(agent) }),
      settle,
    );
    return new Run(cluster, opened, agents);
  }

  private constructor(cluster: NodeCluster, opened: NodeBackend[], agents: NodeAgent[]) {
    this.cluster = cluster;
    this.#opened = opened;
    this.#agents = agents;
  }

  get backend(): NodeBackend {
    return this.#opened.at(-1) as NodeBackend;
  }

  get agent(): NodeAgent {
    return this.#agents.at(-1) as NodeAgent;
  }

  get clock(): VirtualClock {
    return this.cluster.clock;
  }

  /** `phase ready restarts` of a pod with one container. */
  async look(name: string): Promise<string> {
    const { status } = await this.cluster.pods.get(name);
    const [container] = status?.containerStatuses ?? [];
    return `${status?.phase} ${container?.ready === true ? 'ready' : 'not ready'} ${container?.restartCount ?? 0}`;
  }

  async containerId(name: string): Promise<string | undefined> {
    return (await this.cluster.pods.get(name)).status?.containerStatuses?.[0]?.containerID;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }
}

const NO_SIGNAL = new AbortController().signal;
const CONTAINER = { name: 'web', image: 'nginx:1' };

/** Every backend passes this; a new one is finished when it does. */
export function describeNodeBackend(name: string, has: BackendCapabilities, make: () => TestedBackend): void {
  const needsNetwork = skipWhen(!has.networkSwitch, 'backend has no network switch');
  const needsEdits = skipWhen(!has.deviceEdits, 'backend has no device edits');
  describe(`${name} keeps the contract of node backends`, () => {
    test('a pod starts, has an address, and is ready', async () => {
      await using run = await Run.start(make());
      const pod = await run.cluster.run({ metadata: { name: 'web' } });
      expect(await run.look('web')).toBe('Running ready 0');
      expect(pod.status?.podIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(await run.containerId('web')).toMatch(new RegExp(`^${run.backend.runtime.name}://.+`));
      const { status } = await run.cluster.client.core.v1.nodes.get('keelson');
      expect(status?.nodeInfo?.containerRuntimeVersion).toMatch(new RegExp(`^${run.backend.runtime.name}://`));
      await run.cluster.advance('10s');
      expect((await run.cluster.client.core.v1.nodes.get('keelson')).status?.images).toHaveLength(1);
    });

    test('the network knows the addresses of a pod before its containers start, and that they become free', async () => {
      const reported: string[] = [];
      let release: () => void = () => undefined;
      const network: PodNetwork = {
        attached: async ({ metadata }, addresses) => {
          reported.push(`${metadata.name} has ${addresses.join(' ')}`);
          await new Promise<void>((resolve) => (release = resolve));
        },
        detached: ({ metadata }) => void reported.push(`${metadata.name} has none`),
      };
      await using run = await Run.start(make(), { network });
      await run.cluster.run({ metadata: { name: 'web' } });
      expect(await run.look('web')).toBe('Pending not ready 0');
      expect(await run.containerId('web')).toBeUndefined();
      release();
      await run.cluster.settle();
      expect(await run.look('web')).toBe('Running ready 0');
      const { podIPs = [] } = (await run.cluster.pods.get('web')).status ?? {};
      expect(reported).toEqual([`web has ${podIPs.map(({ ip }) => ip).join(' ')}`]);

      await run.cluster.run({ metadata: { name: 'host' }, spec: { hostNetwork: true, containers: [CONTAINER] } });
      await run.cluster.pods.delete('web', { gracePeriodSeconds: 0 });
      await run.cluster.advance('1m');

      expect(new Set(reported.slice(1))).toEqual(new Set(['web has none']));
    });

    test('a program that ends is reported with its code, and started again as the pod wants it', async () => {
      const tested = make();
      await using run = await Run.start(tested);
      await run.cluster.run({ metadata: { name: 'web' } });
      await run.cluster.run({ metadata: { name: 'job' }, spec: { restartPolicy: 'Never', containers: [CONTAINER] } });
      await tested.exit(run.cluster, 'job', 3);
      expect((await run.cluster.pods.get('job')).status).toMatchObject({
        phase: 'Failed',
        containerStatuses: [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }],
      });
      await tested.exit(run.cluster, 'web', 7);
      expect(await run.look('web')).toMatch(/^Running \S+( ready)? 1$/);
      const { containerStatuses } = (await run.cluster.pods.get('web')).status ?? {};
      expect(containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(7);
    });

    test('commands run in a container', async () => {
      await using run = await Run.start(make());
      await run.cluster.run({ metadata: { name: 'web' } });
      const command = { container: 'web', command: ['echo', 'hello'] };
      const { exitCode, stdout } = await run.agent.streams.run('default/web', command, { signal: NO_SIGNAL });
      expect([exitCode, Buffer.from(stdout).toString()]).toEqual([0, 'hello\n']);
    });

    test('probes by commands are asked', async () => {
      await using run = await Run.start(make());
      const readinessProbe = { exec: { command: ['echo'] }, periodSeconds: 1 };
      await run.cluster.run({ metadata: { name: 'web' }, spec: { containers: [{ ...CONTAINER, readinessProbe }] } });
      await run.cluster.advance('5s');
      expect(await run.look('web')).toBe('Running ready 0');
    });

    test('a volume of a ConfigMap is mounted, and the pod goes on when that changes', async () => {
      await using run = await Run.start(make());
      const maps = run.cluster.client.core.v1.configmaps.namespace('default');
      await maps.create({ metadata: { name: 'settings' }, data: { color: 'blue' } });
      const spec = {
        volumes: [{ name: 'data', configMap: { name: 'settings' } }],
        containers: [{ ...CONTAINER, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      };
      const { metadata } = await run.cluster.run({ metadata: { name: 'web' }, spec });
      expect(await run.look('web')).toBe('Running ready 0');
      const [plugin] = run.backend.volumes;
      const mounted = (await plugin?.mounted()) ?? [];
      expect(mounted).toMatchObject(has.mountedVolumes ? [{ podUid: metadata.uid, volume: 'data' }] : []);
      await maps.patch('settings', mergePatch({ data: { color: 'red' } }));
      await run.cluster.advance('2m');
      expect(await run.look('web')).toBe('Running ready 0');
    });

    test('a pod that is deleted leaves nothing', async () => {
      const tested = make();
      await using run = await Run.start(tested);
      const spec = {
        volumes: [{ name: 'scratch', emptyDir: {} }],
        containers: [{ ...CONTAINER, volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }] }],
      };
      await run.cluster.run({ metadata: { name: 'web' }, spec });
      await run.cluster.pods.delete('web');
      await run.cluster.advance('1m');
      expect(await tested.rest(run.backend)).toEqual([]);
    });

    test('containers run on while the agent is away, and it finds them again', async () => {
      await using run = await Run.start(make());
      await run.cluster.run({ metadata: { name: 'web' } });
      const before = await run.containerId('web');
      await run.cluster.stopNodes();
      await run.cluster.startNodes();
      await run.cluster.advance('1m');
      expect(await run.containerId('web')).toBe(before);
      expect(await run.look('web')).toBe('Running ready 0');
    });

    test('what is left of pods that went while the agent was away is removed; what belongs to others stays', async () => {
      const tested = make();
      await using run = await Run.start(tested);
      await run.cluster.run({ metadata: { name: 'gone' } });
      await run.cluster.run({ metadata: { name: 'stays' } });
      await run.cluster.stopNodes();
      await run.cluster.pods.delete('gone', { gracePeriodSeconds: 0 });
      await run.cluster.startNodes();
      await run.cluster.advance('1m');
      const sandboxes = await run.backend.runtime.listPodSandbox();
      expect(sandboxes.map(({ metadata }) => metadata.name)).toEqual(['stays']);
    });

    test('restarts keep the last run that has ended, and no other', async () => {
      const tested = make();
      await using run = await Run.start(tested);
      await run.cluster.run({ metadata: { name: 'web' } });
      for (let round = 0; round < 4; round++) {
        await tested.exit(run.cluster, 'web', 1);
        await run.cluster.advance('6m');
      }
      const containers = await run.backend.runtime.listContainers();
      expect(containers.length).toBeLessThanOrEqual(2);
    });

    test('a node without a network is not ready, starts no pods, and comes back', needsNetwork, async () => {
      const tested = make();
      await using run = await Run.start(tested);
      const ready = async (): Promise<unknown> =>
        (await run.cluster.client.core.v1.nodes.get('keelson')).status?.conditions?.find(
          ({ type }) => type === 'Ready',
        );
      tested.setNetworkReady(false);
      await run.cluster.advance('10m');
      expect(await ready()).toMatchObject({ status: 'False', reason: 'KubeletNotReady' });
      expect((await ready()) as { message: string }).toHaveProperty(
        'message',
        expect.stringMatching(/^container runtime network not ready: NetworkReady=false reason:\S+ message:.+/),
      );
      await run.cluster.run({ metadata: { name: 'web' } });
      expect(await run.look('web')).toBe('Pending not ready 0');
      tested.setNetworkReady(true);
      await run.cluster.advance('1m');
      expect(await ready()).toMatchObject({ status: 'True', reason: 'KubeletReady' });
      expect(await run.look('web')).toBe('Running ready 0');
    });

    test('what devices change reaches the configuration of the container', needsEdits, async () => {
      const tested = make();
      await using run = await Run.start(tested);
      const edits = { envs: [{ key: 'GPU', value: '0' }], mounts: [], devices: [], cdiDevices: ['a.b/c=d'] };
      tested.setEdits(new Map([['web', { ...edits, annotations: { 'a.b/device': 'd' } }]]));
      await run.cluster.run({ metadata: { name: 'web' } });
      const [container] = await run.backend.runtime.listContainers();
      expect(container?.annotations).toMatchObject({ 'a.b/device': 'd' });
    });
  });
}
