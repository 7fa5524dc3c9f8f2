// An API server in this process with nodes on it, in virtual time, for tests.
import { type Duration, settle, VirtualClock } from '../../base/index.ts';
import type { Client, Observed, Pod, ResourceClient, Sendable, Stored, WatchEvent } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { type App, app, type Part } from '../../kit/index.ts';

const MAX_TURNS = 1000;

interface NodeClusterParts {
  readonly clock: VirtualClock;
  readonly part: Part;
  readonly settleBackend: () => Promise<void>;
}

export class NodeCluster implements AsyncDisposable {
  readonly clock: VirtualClock;
  /** The test's own client; nodes have another. */
  readonly client: Client;
  readonly pods: ResourceClient<Pod>;
  readonly #cluster: TestCluster;
  readonly #part: Part;
  readonly #settleBackend: () => Promise<void>;
  #running: { readonly app: App; readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  private constructor(cluster: TestCluster, { clock, part, settleBackend }: NodeClusterParts) {
    this.#cluster = cluster;
    this.#part = part;
    this.#settleBackend = settleBackend;
    this.clock = clock;
    this.client = cluster.client();
    this.pods = this.client.core.v1.pods.namespace('default');
  }

  /** `settleBackend` waits for work of the nodes' backend that `settle` does not know, such as processes that start. */
  static async start(part: Part, settleBackend: () => Promise<void> = settle): Promise<NodeCluster> {
    const clock = new VirtualClock({ settle: settleBackend });
    const cluster = new NodeCluster(await TestCluster.start({ clock }), { clock, part, settleBackend });
    await cluster.startNodes();
    return cluster;
  }

  async startNodes(): Promise<void> {
    const stop = new AbortController();
    const kubelet = app('kubelet', [this.#part]);
    const client = this.#cluster.client('in process', { userAgent: 'kubelet' });
    this.#running = { app: kubelet, stop, done: kubelet.run(client, stop.signal) };
    await this.settle();
  }

  async stopNodes(): Promise<void> {
    this.#running?.stop.abort();
    await this.#running?.done;
    this.#running = undefined;
  }

  /** Waits until the nodes have nothing to do at the present virtual time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      await this.#settleBackend();
      if (this.#running?.app.isIdle !== false) return;
    }
    throw new Error('Cannot settle: the nodes are never idle');
  }

  async advance(duration: Duration): Promise<void> {
    await this.clock.advance(duration);
    await this.settle();
  }

  /** Makes a pod, by default on the node `keelson`, and lets it start. */
  async run(pod: Sendable<Pod>): Promise<Stored<Pod>> {
    const { metadata, spec } = pod;
    const containers = spec?.containers ?? [{ name: 'web', image: 'nginx:1.29' }];
    await this.pods.create({ metadata, spec: { nodeName: 'keelson', ...spec, containers } });
    await this.settle();
    return this.pods.get(metadata?.name ?? '');
  }

  /** Collects the versions of a pod from now on. */
  follow(name: string): { readonly states: Observed<Pod>[]; end(): Promise<void> } {
    const stop = new AbortController();
    const states: Observed<Pod>[] = [];
    const collect = async (): Promise<void> => {
      try {
        for await (const event of this.pods.watch({ fieldSelector: `metadata.name=${name}`, signal: stop.signal }))
          if (isAboutObject(event)) states.push(event.object);
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      }
    };
    const done = collect();
    return {
      states,
      end: async () => {
        stop.abort();
        await done;
      },
    };
  }

  /** `type reason: message` of the events about an object, in the order they came. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.client.core.v1.events.namespace('default').list();
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .sort((left, right) => Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion))
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopNodes();
    await this.#cluster[Symbol.asyncDispose]();
  }
}

function isAboutObject(
  event: WatchEvent<Pod>,
): event is Extract<WatchEvent<Pod>, { type: 'ADDED' | 'MODIFIED' | 'DELETED' }> {
  return event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED';
}
