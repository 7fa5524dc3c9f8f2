// A scheduler on a real API server in this process, in virtual time.
import { settle, VirtualClock } from '../../base/index.ts';
import type { Client, Observed, Pod } from '../../client/index.ts';
import { mergePatch } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import type { NodeSpec, PodSpec } from '../../api/types/core/v1.d.ts';
import { app } from '../../kit/index.ts';
import { scheduler, type SchedulerOptions } from '../scheduler.ts';

interface PodSketch extends Partial<PodSpec> {
  readonly requests?: Record<string, string>;
}

interface NodeSketch extends NodeSpec {
  readonly labels?: Record<string, string>;
  readonly allocatable?: Record<string, string>;
}

const ROOM = { cpu: '4', memory: '8Gi', pods: '110' };

export class SchedulerRun implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly #cluster: TestCluster;
  #app = app('kube-scheduler', []);
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(cluster: TestCluster, clock: VirtualClock) {
    this.#cluster = cluster;
    this.clock = clock;
    this.client = cluster.client();
  }

  static async start(options?: SchedulerOptions): Promise<SchedulerRun> {
    const clock = new VirtualClock();
    const run = new SchedulerRun(await TestCluster.start({ clock }), clock);
    await run.restart(options);
    return run;
  }

  get isIdle(): boolean {
    return this.#app.isIdle;
  }

  /** The kinds of which the scheduler watches all objects; of pods it watches the unfinished ones. */
  get watched(): string[] {
    return this.#app
      .caches()
      .map(({ kind }) => kind.kind)
      .sort();
  }

  /** Stops the scheduler, if it runs, and starts a new one. */
  async restart(options?: SchedulerOptions): Promise<void> {
    await this.stop();
    this.#stop = new AbortController();
    this.#app = app('kube-scheduler', [scheduler(options)]);
    this.#running = this.#app.run(this.#cluster.client(), this.#stop.signal);
    await settle();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async addNode(name: string, { labels, allocatable = ROOM, ...spec }: NodeSketch = {}): Promise<void> {
    const { nodes } = this.client.core.v1;
    await nodes.create({ metadata: { name, labels }, spec });
    await nodes.status.patch(name, mergePatch({ status: { allocatable, capacity: allocatable } }));
    await settle();
  }

  async addPod(name: string, { requests, ...spec }: PodSketch = {}): Promise<void> {
    const containers = [{ name: 'main', image: 'image', resources: { requests } }];
    await this.pods.create({ metadata: { name }, spec: { containers, ...spec } });
    await settle();
  }

  get pods(): ReturnType<Client['core']['v1']['pods']['namespace']> {
    return this.client.core.v1.pods.namespace('default');
  }

  async nodeOf(name: string): Promise<string | undefined> {
    return (await this.pods.get(name)).spec?.nodeName;
  }

  /** Status, reason and message of PodScheduled. */
  async scheduled(name: string): Promise<string | undefined> {
    const pod: Observed<Pod> = await this.pods.get(name);
    const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (condition === undefined) return undefined;
    const { status, reason, message } = condition;
    return [status, reason, message].filter((part) => part !== undefined).join(' ');
  }

  /** The messages of the events about a pod, oldest first. */
  async events(name: string): Promise<string[]> {
    await settle();
    const { items } = await this.client.core.v1.events.namespace('default').list({
      fieldSelector: `involvedObject.name=${name}`,
    });
    return items.map(
      ({ type, reason, message, source, reportingComponent }) =>
        `${type} ${reason} ${source?.component ?? reportingComponent} ${message}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#cluster[Symbol.asyncDispose]();
  }
}
