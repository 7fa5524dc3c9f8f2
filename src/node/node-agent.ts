import { type Clock, type Logger, type Random, type Runnable } from '../base/index.ts';
import { type Client, keyOf, type Node, type Observed, type Pod } from '../client/index.ts';
import { EchoFilter, type EventRecorder, type Objects } from '../kit/index.ts';
import { type AdmittingNode, NodeAdmission } from './admission/node-admission.ts';
import { amountsOf, isTerminalPhase } from '../api/meaning/index.ts';
import type { ConfigSources } from './config/index.ts';
import type { NodeBackend, NodeSettings, PodContent } from './backend/index.ts';
import { podClaims } from './devices/index.ts';
import { ImageCollector, ImagePuller } from './images/index.ts';
import { allocatableOf, NodeHeartbeat, nodeLabels } from './machine/index.ts';
import { NodeCounts } from './node-counts.ts';
import { NodeCleaner } from './node-cleaner.ts';
import { PodTimings } from './pod-timings.ts';
import { PodWorker, type PodWorkerParts } from './pod-worker.ts';
import { LifecycleHooks, type ProbeRecord } from './probes/index.ts';
import type { ServedNode } from './server/index.ts';
import { PodStreams } from './streams/index.ts';
import { ApiVolumeData, GROW_EVERY_MS, growVolume, PodContents, PodVolumes, VolumesInUse } from './volumes/index.ts';

/** Work of a node: a pod, by its key, or the node itself. */
export type NodeTask =
  | { readonly type: 'pod'; readonly key: string }
  | { readonly type: 'register' | 'renew' | 'report' | 'grow' | 'relist' | 'refresh' };

/** What an agent needs from the process it runs in. */
export interface NodeAgentParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventRecorder;
  /** Contains at least the pods of the node. */
  readonly pods: Objects<Pod>;
  readonly nodes: Objects<Node>;
  /** What containers are configured from besides their pods. */
  readonly sources: ConfigSources;
  /** Whether an earlier run of the agent has registered the node; default false. */
  readonly isRegistered?: boolean;
  /** The keys of the pods that are bound to the node. */
  podsOf(node: string): readonly string[];
  /** Schedules a call of `perform` with this task. */
  plan(task: NodeTask, afterMs?: number): void;
}

/** Delay before new images are reported, to report several at once. */
const REPORT_IMAGES_MS = 10_000;
const RUNTIME_RETRY_MS = 1000;

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
  readonly #settings: NodeSettings;
  readonly #backend: NodeBackend;
  readonly #parts: NodeAgentParts;
  readonly #workers = new Map<string, PodWorker>();
  /** Removals of deleted pods that are under way. */
  readonly #leaving = new Set<Promise<void>>();
  /** The pods that are being removed. */
  readonly #leavingUids = new Set<string>();
  readonly #admission = new NodeAdmission();
  readonly #echoes = new EchoFilter();
  readonly #heartbeat: NodeHeartbeat;
  readonly #counts = new NodeCounts();
  /** Made for the first pod, as the parts of workers are. */
  #madeTimings: PodTimings | undefined;
  /** Shared by the workers of all pods; made for the first pod, so that an idle node takes less memory. */
  #workerParts: PodWorkerParts | undefined;
  readonly #contents: PodContents;
  readonly #volumes: PodVolumes;
  readonly #cleaner: NodeCleaner;
  #imageCollector: ImageCollector | undefined;
  #willReportImages = false;

  /** The agent owns the backend, and disposes of it after it has stopped. */
  constructor(settings: NodeSettings, backend: NodeBackend, parts: NodeAgentParts) {
    this.name = settings.name;
    this.#settings = settings;
    this.#backend = backend;
    this.#parts = parts;
    const { client, clock, random, nodes, events, isRegistered = false } = parts;
    const { runtime, logs, machine } = backend;
    this.streams = new PodStreams({ runtime, logs, pod: (key) => this.#ownPod(key) });
    this.served = {
      settings,
      streams: this.streams,
      clock,
      backend,
      startedAtMs: clock.now(),
      pod: (key) => this.#ownPod(key),
      pods: () => this.#pods(),
      usage: () => backend.usage.read(this.#pods(), nodes.get(this.name)),
      counts: this.#counts,
      timings: () => this.#madeTimings?.families() ?? [],
      probes: () => this.#probes(),
    };
    const inUse = new VolumesInUse(() => parts.plan({ type: 'report' }));
    const allocatable = (): Readonly<Record<string, string>> => this.#allocatable();
    const pod = (uid: string): Observed<Pod> | undefined => this.#pods().find(({ metadata }) => metadata.uid === uid);
    this.#contents = new PodContents({ data: new ApiVolumeData(client), machine, allocatable, pod });
    this.#volumes = new PodVolumes({
      plugins: backend.volumes,
      contents: this.#contents,
      client,
      inUse,
      node: () => nodes.get(this.name),
      mounted: () => parts.plan({ type: 'grow' }, GROW_EVERY_MS),
    });
    this.#cleaner = new NodeCleaner({
      backend,
      volumes: this.#volumes,
      log: parts.log,
      isKnown: (uid) => this.#leavingUids.has(uid) || pod(uid) !== undefined,
    });
    this.#heartbeat = new NodeHeartbeat(settings, {
      client,
      clock,
      random,
      nodes,
      events,
      backend,
      isRegistered,
      volumesInUse: () => inUse.list(),
      healthChanged: () => {
        for (const worker of this.#workers.values()) worker.retrySandbox();
      },
    });
  }

  /** Computes the content at a path below the agent's folder. */
  content(path: string): Promise<PodContent | undefined> {
    return this.#contents.at(path);
  }

  /** The backend's machine, runtime or devices have changed. */
  backendChanged(): void {
    this.#parts.plan({ type: 'report' });
  }

  /** A pod was bound to the node or has changed. */
  podChanged(pod: Observed<Pod>): void {
    const key = keyOf(pod);
    this.#timings.podSeen(pod);
    this.#echoes.pass(key, pod.metadata, () => this.#plan(key));
  }

  /** A pod was deleted or is no longer bound to this node. Its resources are free at once: the scheduler may have given them to another pod. */
  podRemoved(pod: Observed<Pod>): void {
    const key = keyOf(pod);
    this.#timings.podRemoved(pod.metadata.uid);
    this.#admission.release(pod.metadata.uid);
    this.#echoes.forget(key);
    this.#plan(key);
  }

  /** The node's own object has changed. */
  nodeChanged(node: Observed<Node>, old: Observed<Node>): void {
    if (
      node.status?.volumesAttached !== old.status?.volumesAttached ||
      node.status?.volumesInUse !== old.status?.volumesInUse
    )
      for (const worker of this.#workers.values()) worker.retryVolumes();
    if (this.#heartbeat.isOverruled(node)) this.#parts.plan({ type: 'report' });
  }

  /** Carries out a planned task. */
  async perform(task: NodeTask, signal: AbortSignal): Promise<void> {
    const { plan } = this.#parts;
    switch (task.type) {
      case 'pod':
        return await this.#syncPod(task.key);
      case 'register':
        await this.#heartbeat.register(signal);
        return this.#beat();
      case 'renew':
        return plan(task, await this.#heartbeat.renew(signal));
      case 'report':
        this.#willReportImages = false;
        await this.#collectImages();
        return plan(task, await this.#heartbeat.report(signal));
      case 'grow':
        return await this.#growVolumes();
      case 'relist':
        return await this.#relist();
      case 'refresh':
        return await this.#refreshVolumes(signal);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#parts.isRegistered === true) this.#beat();
    else this.#parts.plan({ type: 'register' });
    try {
      await this.#followRuntime(signal);
    } finally {
      await Promise.all([...this.#workers.values()].map((worker) => worker.halt()));
      await this.#backend[Symbol.asyncDispose]();
      await Promise.all(this.#leaving);
    }
  }

  #beat(): void {
    const { plan } = this.#parts;
    plan({ type: 'renew' });
    plan({ type: 'report' }, this.#heartbeat.isBehind ? 0 : this.#heartbeat.firstReportMs());
  }

  #partsOfWorkers(): PodWorkerParts {
    const { clock, client, sources } = this.#parts;
    const backend = this.#backend;
    return {
      ...this.#parts,
      backend,
      hooks: new LifecycleHooks(backend.actions, clock),
      volumes: this.#volumes,
      contents: this.#contents,
      puller: new ImagePuller({
        clock,
        images: backend.images,
        maxParallel: this.#settings.maxParallelPulls,
        secret: (namespace, name) => sources.data.secret(namespace, name),
      }),
      prepareDevices: async (pod, signal) => backend.devices.prepare(pod, await podClaims(pod, client, signal), signal),
      allocatable: () => this.#allocatable(),
      counts: this.#counts,
      health: () => this.#heartbeat.health,
      volumesMounted: (pod) => this.#planRefresh(pod),
      echoes: this.#echoes,
      wake: (key) => this.#plan(key),
      ended: (uid) => this.#admission.release(uid),
      imagesChanged: () => this.#reportImages(),
    };
  }

  *#probes(): Generator<ProbeRecord> {
    for (const worker of this.#workers.values()) yield* worker.probeRecords();
  }

  #pods(): readonly Observed<Pod>[] {
    return this.#parts.podsOf(this.name).flatMap((key) => this.#ownPod(key) ?? []);
  }

  #allocatable(): Readonly<Record<string, string>> {
    return this.#parts.nodes.get(this.name)?.status?.allocatable ?? allocatableOf(this.#backend.machine);
  }

  #ownPod(key: string): Observed<Pod> | undefined {
    const pod = this.#parts.pods.get(key);
    return pod?.spec?.nodeName === this.name ? pod : undefined;
  }

  async #syncPod(key: string): Promise<void> {
    const { clock, plan } = this.#parts;
    const pod = this.#ownPod(key);
    const worker = await this.#workerFor(key, pod);
    if (pod === undefined || worker === undefined) return;
    const wakeAtMs = await this.#timings.working(pod, () => worker.step(pod));
    if (wakeAtMs !== undefined) plan({ type: 'pod', key }, wakeAtMs - clock.now());
  }

  /** The pod's worker. A worker of a deleted pod, or of an earlier pod of that name, is dismissed. */
  async #workerFor(key: string, pod: Observed<Pod> | undefined): Promise<PodWorker | undefined> {
    const known = this.#workers.get(key);
    if (known !== undefined && known.uid === pod?.metadata.uid) return known;
    if (known !== undefined) this.#dismiss(known);
    if (pod === undefined) return undefined;
    this.#workerParts ??= this.#partsOfWorkers();
    const worker = new PodWorker(pod, this.#workerParts);
    this.#workers.set(key, worker);
    await this.#admit(pod, worker);
    return worker;
  }

  /** Admits or rejects a new pod. Pods that have started before are not checked again. */
  async #admit(pod: Observed<Pod>, worker: PodWorker): Promise<void> {
    if (isTerminalPhase(pod.status?.phase)) return;
    if (pod.status?.startTime !== undefined || pod.metadata.deletionTimestamp !== undefined) {
      this.#admission.readmit(pod);
      return;
    }
    const rejection = this.#admission.admit(pod, this.#admittingNode()) ?? (await this.#backend.devices.admit(pod));
    if (rejection === undefined) return;
    this.#admission.release(pod.metadata.uid);
    worker.reject(rejection);
  }

  #admittingNode(): AdmittingNode {
    const node = this.#parts.nodes.get(this.name);
    const { machine } = this.#backend;
    const { taints } = this.#settings;
    return {
      name: this.name,
      operatingSystem: machine.operatingSystem,
      labels: node?.metadata.labels ?? nodeLabels({ settings: this.#settings, machine }),
      taints: node?.spec?.taints ?? taints,
      allocatable: amountsOf(node?.status?.allocatable ?? allocatableOf(machine)),
    };
  }

  #dismiss(worker: PodWorker): void {
    this.#workers.delete(worker.key);
    this.#admission.release(worker.uid);
    const leaving = worker.remove().catch((error: unknown) => {
      this.#parts.log.warn('pod could not be cleaned up', { error, pod: worker.key, node: this.name });
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
      for (const key of this.#parts.podsOf(this.name)) this.#plan(key);
      void this.#await(this.#relist());
      try {
        for await (const { pod, containerEventType } of this.#backend.runtime.containerEvents(signal)) {
          if (containerEventType === 'CONTAINER_STOPPED_EVENT') this.#plan(`${pod.namespace}/${pod.name}`);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.log.warn('runtime events broke off', { error });
      }
      if (!signal.aborted) await this.#parts.clock.sleep(RUNTIME_RETRY_MS, signal);
    }
  }

  /** Compares the runtime with the pods of the API, to find missed changes and leftovers of deleted pods. */
  async #relist(): Promise<void> {
    const { relistEveryMs } = this.#backend.polling;
    try {
      const changed = await this.#timings.listing(() => this.#cleaner.relist());
      if (changed.size > 0) for (const pod of this.#pods()) if (changed.has(pod.metadata.uid)) this.#plan(keyOf(pod));
    } catch (error) {
      this.#parts.log.warn('containers cannot be listed', { error });
    }
    if (relistEveryMs !== undefined) this.#parts.plan({ type: 'relist' }, relistEveryMs);
  }

  async #collectImages(): Promise<void> {
    try {
      this.#imageCollector ??= this.#newImageCollector();
      await this.#imageCollector.collect();
    } catch (error) {
      this.#parts.log.warn('images cannot be collected', { error });
    }
  }

  #newImageCollector(): ImageCollector {
    const { clock, events } = this.#parts;
    const { images, runtime } = this.#backend;
    const failed = (message: string): void => {
      const about = { kind: 'Node', apiVersion: '', metadata: { name: this.name, uid: this.name } };
      events.event(about, { type: 'Warning', reason: 'FreeDiskSpaceFailed', message });
    };
    return new ImageCollector({ clock, images, runtime, failed });
  }

  get #timings(): PodTimings {
    const { metrics } = this.#backend;
    this.#madeTimings ??= new PodTimings({
      now: () => this.#parts.clock.now(),
      pullMs: (uid) => metrics?.pullMs(uid) ?? 0,
    });
    return this.#madeTimings;
  }

  #planRefresh(pod: Observed<Pod>): void {
    const periodMs = this.#volumes.refreshEveryMs(pod);
    if (periodMs !== undefined) this.#parts.plan({ type: 'refresh' }, periodMs);
  }

  /** Updates the content of volumes that are built from the API. */
  async #refreshVolumes(signal: AbortSignal): Promise<void> {
    for (const pod of this.#pods()) {
      const worker = this.#workers.get(keyOf(pod));
      if (worker === undefined || worker.uid !== pod.metadata.uid || isTerminalPhase(pod.status?.phase)) continue;
      if (pod.metadata.deletionTimestamp !== undefined || this.#volumes.refreshEveryMs(pod) === undefined) continue;
      try {
        await this.#volumes.refresh(pod, { signal });
      } catch (error) {
        this.#parts.log.warn('volumes cannot be updated', { error, pod: keyOf(pod) });
      }
      this.#planRefresh(pod);
    }
  }

  /** Grows mounted volumes whose PersistentVolume has grown, and checks again while any claim is mounted. */
  async #growVolumes(): Promise<void> {
    const mounted = this.#volumes.mountedClaims();
    const { client, events, plan } = this.#parts;
    for (const claim of mounted)
      await growVolume(claim, { client, events, nodeName: this.name, volumes: this.#volumes });
    if (mounted.length > 0) plan({ type: 'grow' }, GROW_EVERY_MS);
  }

  #reportImages(): void {
    if (this.#willReportImages) return;
    this.#willReportImages = true;
    this.#parts.plan({ type: 'report' }, REPORT_IMAGES_MS);
  }

  #plan(key: string): void {
    this.#parts.plan({ type: 'pod', key });
  }
}
