import { millisecondsOf, type Runnable, runTogether } from '../base/index.ts';
import { keyOf, type Node, type Observed, type Pod } from '../client/index.ts';
import type { NodeBackend, NodeSettings, PodContent } from './backend/index.ts';
import { type AgentParts, composeAgent, type NodeAgentParts, type NodeTask } from './compose-agent.ts';
import { NodePods } from './node-pods.ts';
import { PodWorker } from './pod-worker.ts';
import type { ServedNode } from './server/index.ts';
import { NodeStaticPods } from './static-pods/index.ts';
import type { PodStreams } from './streams/index.ts';

/** Delay before new images are reported, to report several at once. */
const REPORT_IMAGES_MS = 10_000;
const RUNTIME_RETRY_MS = 1000;
/** How often a critical pod looks whether others have made room for it. */
const ROOM_POLL_MS = 500;

/**
 * The agent of one node: runs the pods that are bound to the node, reports their status, and renews the node's lease.
 *
 * Its caller passes it the pods to work on (`perform`), from a watch for this node alone or from one that
 * all nodes of the process share.
 */
export class NodeAgent implements Runnable {
  readonly name: string;
  /** Logs of the node's pods, and connections to them. */
  readonly streams: PodStreams;
  /** What the node's server serves. */
  readonly served: ServedNode;
  readonly #backend: NodeBackend;
  readonly #around: NodeAgentParts;
  readonly #statics: NodeStaticPods | undefined;
  readonly #pods: NodePods;
  readonly #parts: AgentParts;
  readonly #workers = new Map<string, PodWorker>();
  /** Removals of deleted pods that are under way. */
  readonly #leaving = new Set<Promise<void>>();
  /** The pods that are being removed. */
  readonly #leavingUids = new Set<string>();
  #willReportImages = false;

  /** The agent owns the backend, and disposes of it after it has stopped. */
  constructor(settings: NodeSettings, backend: NodeBackend, around: NodeAgentParts) {
    const { name, staticPods } = settings;
    this.name = name;
    this.#backend = backend;
    this.#around = around;
    if (staticPods !== undefined) {
      const plan = (key: string, afterMs: number): void => around.plan({ type: 'pod', key }, afterMs);
      this.#statics = new NodeStaticPods(staticPods, { ...around, node: name, plan });
    }
    const { pods, podsOf, hasSynced } = around;
    this.#pods = new NodePods(name, { pods, podsOf, hasSynced, statics: this.#statics });
    this.#parts = composeAgent(settings, backend, {
      ...around,
      core: {
        pods: this.#pods,
        writer: this.#statics?.writer,
        workers: () => this.#workers.values(),
        worker: (pod) => this.#workerOf(pod),
        isLeaving: (uid) => this.#leavingUids.has(uid),
        release: (uid) => this.#release(uid),
        reportImages: () => this.#reportImages(),
      },
    });
    this.streams = this.#parts.streams;
    this.served = this.#parts.served;
  }

  /** Computes the content at a path below the agent's folder. */
  content(path: string): Promise<PodContent | undefined> {
    return this.#parts.contents.at(path);
  }

  /** The backend's machine, runtime or devices have changed. */
  backendChanged(): void {
    this.#around.plan({ type: 'report' });
  }

  /** The devices of a pod have changed. */
  devicesChanged(uid: string): void {
    const pod = this.#pods.byUid(uid);
    if (pod !== undefined) this.#plan(keyOf(pod));
  }

  /** A pod was bound to the node or has changed. */
  podChanged(pod: Observed<Pod>): void {
    const key = keyOf(pod);
    this.#pods.seen(pod);
    this.#parts.timings().podSeen(pod);
    this.#parts.echoes.pass(key, pod.metadata, () => this.#plan(key));
  }

  /** A pod was deleted or is no longer bound to this node. Its resources are free at once: the scheduler may have given them to another pod. */
  podRemoved(pod: Observed<Pod>): void {
    const key = keyOf(pod);
    this.#pods.removed(pod.metadata.uid);
    this.#parts.timings().podRemoved(pod.metadata.uid);
    this.#release(pod.metadata.uid);
    this.#parts.echoes.forget(key);
    this.#plan(key);
  }

  /** The node's own object has changed. */
  nodeChanged(node: Observed<Node>, old: Observed<Node>): void {
    if (
      node.status?.volumesAttached !== old.status?.volumesAttached ||
      node.status?.volumesInUse !== old.status?.volumesInUse
    )
      for (const worker of this.#workers.values()) worker.retryVolumes();
    const hasOtherRanges = node.spec?.podCIDRs?.join() !== old.spec?.podCIDRs?.join(); // the report passes them on
    if (hasOtherRanges || this.#parts.heartbeat.isOverruled(node)) this.#around.plan({ type: 'report' });
  }

  /** Carries out a planned task. */
  async perform(task: NodeTask, signal: AbortSignal): Promise<void> {
    const { plan } = this.#around;
    switch (task.type) {
      case 'pod':
        return await this.#syncPod(task.key);
      case 'register':
        await this.#parts.heartbeat.register(signal);
        this.#statics?.syncAll();
        return this.#beat();
      case 'renew':
        return plan(task, await this.#parts.heartbeat.renew(signal));
      case 'report':
        this.#willReportImages = false;
        await this.#parts.guards.collectImages();
        return plan(task, await this.#parts.heartbeat.report(signal));
      case 'grow':
        return await this.#parts.upkeep.grow();
      case 'relist':
        return await this.#relist();
      case 'refresh':
        return await this.#parts.upkeep.refresh(signal);
      case 'resize':
        return await this.#parts.resizes().retry();
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#around.isRegistered === true) this.#beat();
    else this.#around.plan({ type: 'register' });
    try {
      const statics = this.#statics === undefined ? [] : [this.#statics];
      const tasks = [...this.#backend.tasks, ...this.#parts.guards.tasks, ...statics];
      if (tasks.length === 0) await this.#followRuntime(signal);
      else await runTogether([{ run: (scope) => this.#followRuntime(scope) }, ...tasks], signal);
    } finally {
      await Promise.all([...this.#workers.values()].map((worker) => worker.halt()));
      await this.#parts.objects[Symbol.asyncDispose]();
      await this.#backend[Symbol.asyncDispose]();
      await Promise.all(this.#leaving);
    }
  }

  #beat(): void {
    const { plan } = this.#around;
    plan({ type: 'renew' });
    plan({ type: 'report' }, this.#parts.heartbeat.isBehind ? 0 : this.#parts.heartbeat.firstReportMs());
  }

  async #syncPod(key: string): Promise<void> {
    const { clock, plan } = this.#around;
    this.#statics?.sync(key);
    const pod = this.#pods.get(key);
    const worker = await this.#workerFor(key, pod);
    if (pod === undefined || worker === undefined) return;
    if (!worker.hasEnded) this.#parts.objects.use(pod);
    const allocated = await this.#parts.resizes().allocated(pod);
    const wakeAtMs = await this.#parts.timings().working(pod, () => worker.step(allocated));
    await this.#parts.upkeep.podChanged(pod);
    if (wakeAtMs !== undefined) plan({ type: 'pod', key }, wakeAtMs - clock.now());
  }

  #workerOf(pod: Observed<Pod>): PodWorker | undefined {
    const found = this.#workers.get(keyOf(pod));
    return found?.uid === pod.metadata.uid ? found : undefined;
  }

  /** The pod's worker. A worker of a deleted pod, or of an earlier pod of that name, is dismissed. */
  async #workerFor(key: string, pod: Observed<Pod> | undefined): Promise<PodWorker | undefined> {
    const known = this.#workers.get(key);
    if (known !== undefined && known.uid === pod?.metadata.uid) return known;
    if (known !== undefined) this.#dismiss(known);
    if (pod === undefined) return undefined;
    if (this.#parts.gate.makesRoom(pod)) {
      this.#around.plan({ type: 'pod', key }, ROOM_POLL_MS);
      return undefined;
    }
    const worker = new PodWorker(pod, this.#parts.workerParts());
    this.#workers.set(key, worker);
    const rejection = await this.#parts.gate.admit(pod);
    if (rejection !== undefined) worker.reject(rejection);
    return worker;
  }

  /** Frees what was reserved for a pod that has ended or is gone. */
  #release(uid: string): void {
    this.#parts.objects.release(uid);
    this.#parts.upkeep.forget(uid);
    void this.#await(
      this.#parts.gate.release(uid).catch((error: unknown) => {
        this.#around.log.warn('resources of pod could not be released', { error, uid, node: this.name });
      }),
    );
  }

  #dismiss(worker: PodWorker): void {
    this.#workers.delete(worker.key);
    this.#release(worker.uid);
    const leaving = worker.remove().catch((error: unknown) => {
      this.#around.log.warn('pod could not be cleaned up', { error, pod: worker.key, node: this.name });
    });
    this.#leavingUids.add(worker.uid);
    void this.#await(leaving).finally(() => this.#leavingUids.delete(worker.uid));
  }

  /** Makes the agent wait for this work before it stops. */
  #await(work: Promise<void>): Promise<void> {
    this.#leaving.add(work);
    return work.finally(() => this.#leaving.delete(work));
  }

  /** Wakes the workers of pods whose containers have stopped; all of them at the start and after events may have been missed. */
  async #followRuntime(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const key of this.#pods.keys()) this.#plan(key);
      void this.#await(this.#relist());
      try {
        for await (const { pod, containerEventType } of this.#backend.runtime.containerEvents(signal)) {
          if (containerEventType === 'CONTAINER_STOPPED_EVENT') this.#plan(`${pod.namespace}/${pod.name}`);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#around.log.warn('runtime events broke off', { error });
      }
      if (!signal.aborted) await this.#around.clock.sleep(RUNTIME_RETRY_MS, signal);
    }
  }

  /** Compares the runtime with the pods of the API, to find missed changes and leftovers of deleted pods. */
  async #relist(): Promise<void> {
    const { relistEvery } = this.#backend.polling;
    try {
      const changed = await this.#parts.timings().listing(() => this.#parts.cleaner.relist());
      if (changed.size > 0)
        for (const pod of this.#pods.all()) if (changed.has(pod.metadata.uid)) this.#plan(keyOf(pod));
    } catch (error) {
      this.#around.log.warn('containers cannot be listed', { error });
    }
    if (relistEvery !== undefined) this.#around.plan({ type: 'relist' }, millisecondsOf(relistEvery));
  }

  #reportImages(): void {
    if (this.#willReportImages) return;
    this.#willReportImages = true;
    this.#around.plan({ type: 'report' }, REPORT_IMAGES_MS);
  }

  #plan(key: string): void {
    this.#around.plan({ type: 'pod', key });
  }
}
