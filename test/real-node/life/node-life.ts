// A node whose agent can be given other settings, and pods on it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Daemon } from '../../../peers/index.ts';
import type { Client, Observed, Pod, Sendable } from '../../../src/client/index.ts';
import { eventually } from '../eventually.ts';
import type { RealCluster } from '../index.ts';

export const NAMESPACE = 'life';
export const BUSYBOX = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';
const PATIENCE_MS = 180_000;

/** One thing that a node does for its own sake. */
export interface Trial {
  readonly name: string;
  /** Fields of the KubeletConfiguration on top of those of the rig. */
  settings(life: NodeLife): Promise<object> | object;
  run(life: NodeLife): Promise<void>;
}

export interface PodOptions {
  readonly image?: string;
  readonly spec?: Partial<NonNullable<Sendable<Pod>['spec']>>;
  /** Mounted at /data; default none. */
  readonly emptyDir?: object;
}

interface WaitOptions {
  readonly limitMs?: number;
  /** Programs besides the agent whose logs tell why it did not happen. */
  readonly daemons?: readonly Daemon[];
}

export class NodeLife {
  readonly client: Client;
  readonly cluster: RealCluster;
  readonly #settings: string;

  static async open(cluster: RealCluster, client: Client): Promise<NodeLife> {
    await client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
    return new NodeLife(cluster, client, await readFile(settingsFile(cluster), 'utf8'));
  }

  private constructor(cluster: RealCluster, client: Client, settings: string) {
    this.client = client;
    this.cluster = cluster;
    this.#settings = settings;
  }

  /** Starts the agent again with other settings, and waits until the node is ready and under no pressure. */
  async configure(settings: object): Promise<void> {
    const all = { ...(JSON.parse(this.#settings) as object), ...settings };
    await writeFile(settingsFile(this.cluster), JSON.stringify(all, null, 2));
    const restartedMs = Date.now();
    await this.cluster.node.restart('agent');
    await this.until('a node that is ready', async () => {
      const conditions = await this.conditions();
      const ready = conditions.get('Ready');
      if (ready?.status !== 'True') return `the node is not ready: ${ready?.message ?? ''}`;
      if (Date.parse(ready.lastHeartbeatTime ?? '') < restartedMs - 1000) return 'the agent has not reported yet';
      const pressure = [...conditions].find(([type, { status }]) => type.endsWith('Pressure') && status !== 'False');
      return pressure === undefined ? undefined : `the node has ${pressure[0]}`;
    });
  }

  async conditions(): Promise<ReadonlyMap<string, { status: string; message?: string; lastHeartbeatTime?: string }>> {
    const { status } = await this.client.core.v1.nodes.get(this.cluster.node.name);
    return new Map((status?.conditions ?? []).map((each) => [each.type, each]));
  }

  /** Creates a pod that runs a script. */
  async pod(name: string, script: string, { image = BUSYBOX, spec = {}, emptyDir }: PodOptions = {}): Promise<void> {
    const mount = emptyDir === undefined ? {} : { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    await this.client.core.v1.pods.namespace(NAMESPACE).create({
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 1,
        restartPolicy: 'Never',
        containers: [{ name: 'main', image, command: ['sh', '-c', script], ...mount }],
        ...(emptyDir === undefined ? {} : { volumes: [{ name: 'data', emptyDir }] }),
        ...spec,
      },
    });
  }

  async get(name: string): Promise<Observed<Pod>> {
    return this.client.core.v1.pods.namespace(NAMESPACE).get(name);
  }

  async untilRunning(...names: readonly string[]): Promise<void> {
    for (const name of names)
      await this.until(`the pod ${name} running`, async () => {
        const { status } = await this.get(name);
        return status?.phase === 'Running' ? undefined : `it is ${status?.phase}: ${JSON.stringify(waitingOf(status))}`;
      });
  }

  /** Waits until a check finds no problem. */
  async until(what: string, check: () => Promise<string | undefined>, options: WaitOptions = {}): Promise<void> {
    const { limitMs = PATIENCE_MS, daemons = [] } = options;
    await eventually(
      async () => {
        const problem = await check();
        if (problem !== undefined) throw new Error(problem);
      },
      { what, limitMs, daemons: [this.cluster.node.daemon('agent'), ...daemons] },
    );
  }

  /** The value of a metric of the agent, added up over its series whose labels include this text. */
  async metric(name: string, label = ''): Promise<number> {
    const text = await this.client.text(`/api/v1/nodes/${this.cluster.node.name}/proxy/metrics`);
    const lines = text.split('\n').filter((line) => /^[{ ]/.test(line.slice(name.length)) && line.startsWith(name));
    return lines
      .filter((line) => line.includes(label))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Deletes all pods, and waits until they are gone. */
  async clear(): Promise<void> {
    const pods = this.client.core.v1.pods.namespace(NAMESPACE);
    for (const { metadata } of (await pods.list()).items) await pods.delete(metadata.name, { gracePeriodSeconds: 1 });
    await this.until('no pods', async () => ((await pods.list()).items.length === 0 ? undefined : 'pods are left'));
  }
}

/** Why the containers of a pod wait. */
export function waitingOf(status: Observed<Pod>['status']): readonly string[] {
  return (status?.containerStatuses ?? []).flatMap(({ state }) =>
    state?.waiting === undefined ? [] : [`${state.waiting.reason}: ${state.waiting.message ?? ''}`],
  );
}

function settingsFile({ node }: RealCluster): string {
  return join(node.folder, 'kubelet.json');
}
