import { type Clock, type Logger, type Random, type Runnable, runTogether } from '../base/index.ts';
import { type Client, keyOf, type Node, type Observed, type Pod } from '../client/index.ts';
import { EchoFilter, type EventRecorder, type Objects } from '../kit/index.ts';
import { PodGate } from './admission/pod-gate.ts';
import { isTerminalPhase } from '../api/meaning/index.ts';
import type { ConfigSources } from './config/index.ts';
import type { NodeBackend, NodeSettings, PodContent } from './backend/index.ts';
import { podClaims } from './devices/index.ts';
import { DEFAULT_IDS, PodIsolations, UserNamespaces } from './isolation/index.ts';
import { nodeImagePuller } from './images/index.ts';
import { allocatableOf, NodeHeartbeat } from './machine/index.ts';
import { NodeCounts } from './node-counts.ts';
import { NodeCleaner } from './node-cleaner.ts';
import { NodeGuards } from './node-guards.ts';
import { PodTimings } from './pod-timings.ts';
import { apiPodWriter } from './pod-writer.ts';
import { PodWorker, type PodWorkerParts } from './pod-worker.ts';
import { PodEvents } from './pod-events.ts';
import { PodResizes } from './resizing/index.ts';
import { LifecycleHooks, type ProbeRecord } from './probes/index.ts';
import type { ServedNode } from './server/index.ts';
import { isMirrorPod, NodeStaticPods } from './static-pods/index.ts';
import { PodStreams } from './streams/index.ts';
import {
  ApiVolumeData,
  GROW_EVERY_MS,
  PodContents,
  PodVolumes,
  type PodVolumeStats,
  VolumesInUse,
  VolumeUpkeep,
} from './volumes/index.ts';

/** Work of a node: a pod, by its key, or the node itself. */
export type NodeTask =
  | { readonly type: 'pod'; readonly key: string }
  | { readonly type: 'register' | 'renew' | 'report' | 'grow' | 'relist' | 'refresh' | 'resize' };

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
  /** Whether the pods of the API are known yet; default true. Until then nothing counts as left over. */
  hasSynced?(): boolean;
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
  readonly #gate: PodGate;
  readonly #echoes = new EchoFilter();
  readonly #heartbeat: NodeHeartbeat;
  readonly #counts = new NodeCounts();
  /** Made for the first pod, as the parts of workers are. */
  #madeTimings: PodTimings | undefined;
  /** Shared by the workers of all pods; made for the first pod, so that an idle node takes less memory. */
  #workerParts: PodWorkerParts | undefined;
  readonly #contents: PodContents;
  readonly #volumes: PodVolumes;
  readonly #upkeep: VolumeUpkeep;
  readonly #cleaner: NodeCleaner;
  /** Made for the first pod, like the parts of workers. */
  #podResizes: PodResizes | undefined;
  readonly #statics: NodeStaticPods | undefined;
  readonly #guards: NodeGuards;
  #willReportImages = false;

  /** The agent owns the backend, and disposes of it after it has stopped. */
  constructor(settings: NodeSettings, backend: NodeBackend, parts: NodeAgentParts) {
    this.name = settings.name;
    this.#settings = settings;
    this.#backend = backend;
    this.#parts = parts;
    const { client, clock, random, nodes, events, isRegistered = false } = parts;
    if (settings.staticPods !== undefined) {
      const plan = (key: string, afterMs: number): void => parts.plan({ type: 'pod', key }, afterMs);
      this.#statics = new NodeStaticPods(settings.staticPods, { ...parts, node: settings.name, plan });
    }
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
    this.#contents = new PodContents({ data: new ApiVolumeData(client, { clock, random }), machine, allocatable, pod });
    this.#volumes = new PodVolumes({
      clock,
      plugins: backend.volumes,
      contents: this.#contents,
      client,
      inUse,
      node: () => nodes.get(this.name),
      mounted: () => parts.plan({ type: 'grow' }, GROW_EVERY_MS),
    });
    this.#upkeep = new VolumeUpkeep({
      ...{ node: this.name, client, events, volumes: this.#volumes, plan: parts.plan },
      pods: () => this.#pods().filter((each) => this.#workerOf(each) !== undefined),
    });
    this.#cleaner = new NodeCleaner({
      backend,
      volumes: this.#volumes,
      log: parts.log,
      removed: (uid) => this.#workerParts?.isolations.release(uid),
      isKnown: (uid) => !this.#knowsAllPods() || this.#leavingUids.has(uid) || pod(uid) !== undefined,
      usesVolumes: (uid) => {
        const known = pod(uid);
        const isRunning = known !== undefined && !isTerminalPhase(known.status?.phase);
        return !this.#knowsAllPods() || this.#leavingUids.has(uid) || isRunning;
      },
    });
    this.#guards = new NodeGuards(settings, {
      ...{ clock, events, backend },
      log: parts.log,
      pods: () => this.#pods(),
      worker: (each) => this.#workerOf(each),
      removeDead: (hasEnded) => this.#cleaner.removeDead(hasEnded),
      report: () => parts.plan({ type: 'report' }),
    });
    this.#gate = new PodGate({
      settings,
      backend,
      node: () => nodes.get(this.name),
      resizes: () => this.#resizes,
      refuse: (each) => this.#guards.refuse(each),
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
      pressure: () => this.#guards.pressure,
      problem: () => this.#guards.problem,
      healthChanged: () => {
        for (const worker of this.#workers.values()) worker.retrySandbox();
      },
    });
  }

  /** Computes the content at a path below the agent's folder. */
  content(path: string): Promise<PodContent | undefined> {
    return this.#contents.at(path);
  }

  /** Measures the volumes of a pod, for statistics and for evictions by `sizeLimit`; may take long where there are many files. */
  volumeStats(pod: Observed<Pod>, signal: AbortSignal): Promise<readonly PodVolumeStats[]> {
    return this.#volumes.stats(pod, signal);
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
    this.#release(pod.metadata.uid);
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
        this.#statics?.syncAll();
        return this.#beat();
      case 'renew':
        return plan(task, await this.#heartbeat.renew(signal));
      case 'report':
        this.#willReportImages = false;
        await this.#guards.collectImages();
        return plan(task, await this.#heartbeat.report(signal));
      case 'grow':
        return await this.#upkeep.grow();
      case 'relist':
        return await this.#relist();
      case 'refresh':
        return await this.#upkeep.refresh(signal);
      case 'resize':
        return await this.#resizes.retry();
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#parts.isRegistered === true) this.#beat();
    else this.#parts.plan({ type: 'register' });
    try {
      const statics = this.#statics === undefined ? [] : [this.#statics];
      const tasks = [...this.#backend.tasks, ...this.#guards.tasks, ...statics];
      if (tasks.length === 0) await this.#followRuntime(signal);
      else await runTogether([{ run: (scope) => this.#followRuntime(scope) }, ...tasks], signal);
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

  get #resizes(): PodResizes {
    this.#podResizes ??= this.#newResizes();
    return this.#podResizes;
  }

  #newResizes(): PodResizes {
    const { clock, log, events, plan } = this.#parts;
    const { machine, resources } = this.#backend;
    return new PodResizes({
      clock,
      log,
      machine,
      resources,
      pod: (uid) => this.#pods().find(({ metadata }) => metadata.uid === uid),
      reserve: (pod) => this.#gate.resize(pod),
      event: (pod, details) => new PodEvents(events).pod(pod, details),
      wake: (key) => this.#plan(key),
      plan: (afterMs) => plan({ type: 'resize' }, afterMs),
    });
  }

  #partsOfWorkers(): PodWorkerParts {
    const { clock, client, log, sources } = this.#parts;
    const backend = this.#backend;
    const { images } = backend;
    return {
      ...this.#parts,
      backend,
      writer: this.#statics?.writer ?? apiPodWriter(this.#parts.pods),
      hooks: new LifecycleHooks(backend.actions, clock),
      volumes: this.#volumes,
      contents: this.#contents,
      puller: nodeImagePuller(this.#settings, {
        ...{ client, clock, log, images },
        secret: (namespace, name) => sources.data.secret(namespace, name),
      }),
      prepareDevices: async (pod, signal) => backend.devices.prepare(pod, await podClaims(pod, client, signal), signal),
      isolations: new PodIsolations({
        client,
        userNamespaces: new UserNamespaces({
          files: backend.files,
          root: backend.machine.folders.root,
          ids: this.#settings.userNamespaceIds ?? DEFAULT_IDS,
        }),
        runtime: () => this.#heartbeat.health?.runtime,
      }),
      allocatable: () => this.#allocatable(),
      counts: this.#counts,
      health: () => this.#heartbeat.health,
      volumesMounted: (pod) => this.#upkeep.mounted(pod),
      echoes: this.#echoes,
      wake: (key) => this.#plan(key),
      ended: (uid) => this.#release(uid),
      resizes: this.#resizes,
      imagesChanged: () => this.#reportImages(),
    };
  }

  *#probes(): Generator<ProbeRecord> {
    for (const worker of this.#workers.values()) yield* worker.probeRecords();
  }

  #pods(): readonly Observed<Pod>[] {
    return [...this.#keys()].flatMap((key) => this.#ownPod(key) ?? []);
  }

  #keys(): Iterable<string> {
    const bound = this.#parts.podsOf(this.name);
    return this.#statics === undefined ? bound : new Set([...bound, ...this.#statics.keys()]);
  }

  /** False while the agent does not know the pods of the API or of its manifests. */
  #knowsAllPods(): boolean {
    return (this.#parts.hasSynced?.() ?? true) && (this.#statics?.isReady ?? true);
  }

  #allocatable(): Readonly<Record<string, string>> {
    return this.#parts.nodes.get(this.name)?.status?.allocatable ?? allocatableOf(this.#backend.machine);
  }

  #ownPod(key: string): Observed<Pod> | undefined {
    const own = this.#statics?.pod(key);
    if (own !== undefined) return own;
    const pod = this.#parts.pods.get(key);
    if (pod?.spec?.nodeName !== this.name) return undefined;
    return this.#statics !== undefined && isMirrorPod(pod) ? undefined : pod;
  }

  async #syncPod(key: string): Promise<void> {
    const { clock, plan } = this.#parts;
    this.#statics?.sync(key);
    const pod = this.#ownPod(key);
    const worker = await this.#workerFor(key, pod);
    if (pod === undefined || worker === undefined) return;
    const allocated = await this.#resizes.allocated(pod);
    const wakeAtMs = await this.#timings.working(pod, () => worker.step(allocated));
    await this.#upkeep.podChanged(pod);
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
    this.#workerParts ??= this.#partsOfWorkers();
    const worker = new PodWorker(pod, this.#workerParts);
    this.#workers.set(key, worker);
    const rejection = await this.#gate.admit(pod);
    if (rejection !== undefined) worker.reject(rejection);
    return worker;
  }

  /** Frees what was reserved for a pod that has ended or is gone. */
  #release(uid: string): void {
    void this.#await(
      this.#gate.release(uid).catch((error: unknown) => {
        this.#parts.log.warn('resources of pod could not be released', { error, uid, node: this.name });
      }),
    );
  }

  #dismiss(worker: PodWorker): void {
    this.#workers.delete(worker.key);
    this.#release(worker.uid);
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
      for (const key of this.#keys()) this.#plan(key);
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

  get #timings(): PodTimings {
    const { metrics } = this.#backend;
    this.#madeTimings ??= new PodTimings({
      now: () => this.#parts.clock.now(),
      pullMs: (uid) => metrics?.pullMs(uid) ?? 0,
    });
    return this.#madeTimings;
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
