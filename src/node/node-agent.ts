import { type Clock, type Logger, type Random, type Runnable } from '../base/index.ts';
import { type Client, keyOf, type Node, type Observed, type Pod } from '../client/index.ts';
import { EchoFilter, type EventRecorder, type Objects } from '../kit/index.ts';
import { type AdmittingNode, NodeAdmission } from './admission/node-admission.ts';
import { amountsOf, isTerminalPhase } from '../api/meaning/index.ts';
import type { ConfigSources } from './config/index.ts';
import { type NodeDescription, NodeHeartbeat, nodeLabels } from './machine/index.ts';
import { PodWorker, type PodWorkerParts } from './pod-worker.ts';
import { LifecycleHooks, NetworkActions } from './probes/index.ts';
import type { ServedNode } from './server/index.ts';
import { FileLogs, PodStreams } from './streams/index.ts';
import { prepareDevices } from './devices/index.ts';
import { ClaimedVolumes, GROW_EVERY_MS, growVolume, VolumesInUse } from './volumes/index.ts';
import { assumedVolumes, type NodeRuntime } from './runtime/index.ts';

/** Something that a node has to see to: a pod, by its key, or itself. */
export type NodeTask =
  | { readonly type: 'pod'; readonly key: string }
  | { readonly type: 'register' | 'renew' | 'report' | 'grow' };

/** What a node's agent has from the process it runs in. */
export interface NodeAgentParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventRecorder;
  /** The node's pods at least; it takes its own. */
  readonly pods: Objects<Pod>;
  readonly nodes: Objects<Node>;
  /** What containers are configured from besides their pods. */
  readonly sources: ConfigSources;
  /** As before `://` in container ids. */
  readonly runtimeName: string;
  /** Whether another run of the agent has made the node known, and this one goes on with it; no unless given. */
  readonly isRegistered?: boolean;
  /** The keys of the pods that are bound to the node. */
  podsOf(node: string): readonly string[];
  /** Has the task done by `perform`, now or after a while. */
  plan(task: NodeTask, afterMs?: number): void;
}

/** New images are reported after this long, together. */
const REPORT_IMAGES_MS = 10_000;
const RUNTIME_RETRY_MS = 1000;

/**
 * One node: makes the pods that are bound to it run, reports what became of them, and shows that it is alive.
 *
 * It is told which pod to look at (`perform`), and does not care where that news comes from: a watch of its own, or one that
 * many nodes of a process share.
 */
export class NodeAgent implements Runnable {
  readonly name: string;
  /** Logs of its pods, and connections to them. */
  readonly streams: PodStreams;
  /** What it tells those who ask it. */
  readonly served: ServedNode;
  readonly #node: NodeDescription;
  readonly #runtime: NodeRuntime;
  readonly #parts: NodeAgentParts;
  readonly #workers = new Map<string, PodWorker>();
  /** Workers of pods that are gone, until nothing of them runs. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #admission = new NodeAdmission();
  readonly #echoes = new EchoFilter();
  readonly #heartbeat: NodeHeartbeat;
  /** All pods have the same. */
  readonly #workerParts: PodWorkerParts;
  readonly #volumes: ClaimedVolumes;
  #willReportImages = false;

  constructor(node: NodeDescription, runtime: NodeRuntime, parts: NodeAgentParts) {
    this.name = node.name;
    this.#node = node;
    this.#runtime = runtime;
    this.#parts = parts;
    const { client, clock, random, nodes, events, isRegistered = false } = parts;
    this.streams = this.#podStreams();
    const pods = (): readonly Observed<Pod>[] => parts.podsOf(node.name).flatMap((key) => this.#ownPod(key) ?? []);
    this.served = {
      name: node.name,
      streams: this.streams,
      clock,
      runtime: runtime.runtime,
      startedAtMs: clock.now(),
      port: node.port ?? 0,
      pod: (key) => this.#ownPod(key),
      pods,
      usage: () => runtime.usage?.(pods(), nodes.get(node.name)),
    };
    const inUse = new VolumesInUse(() => parts.plan({ type: 'report' }));
    this.#volumes = new ClaimedVolumes(runtime.volumes ?? assumedVolumes, {
      client,
      inUse,
      node: () => nodes.get(node.name),
      mounted: () => parts.plan({ type: 'grow' }, GROW_EVERY_MS),
    });
    this.#workerParts = this.#partsOfWorkers();
    const volumesInUse = (): string[] => inUse.list();
    this.#heartbeat = new NodeHeartbeat(node, {
      client,
      clock,
      random,
      nodes,
      events,
      runtime,
      isRegistered,
      volumesInUse,
    });
  }

  /** A pod has come or changed. */
  podChanged(pod: Observed<Pod>): void {
    const key = keyOf(pod);
    this.#echoes.pass(key, pod.metadata, () => this.#plan(key));
  }

  /** A pod is gone from the API, or no longer this node's. Its room is free at once: others may have been promised it. */
  podRemoved(pod: Observed<Pod>): void {
    const key = keyOf(pod);
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

  /** Does what was planned. */
  async perform(task: NodeTask, signal: AbortSignal): Promise<void> {
    const { plan } = this.#parts;
    switch (task.type) {
      case 'pod':
        return this.#syncPod(task.key);
      case 'register':
        await this.#heartbeat.register(signal);
        return this.#beat();
      case 'renew':
        return plan(task, await this.#heartbeat.renew(signal));
      case 'report':
        this.#willReportImages = false;
        return plan(task, await this.#heartbeat.report(signal));
      case 'grow':
        return await this.#growVolumes();
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#parts.isRegistered === true) this.#beat();
    else this.#parts.plan({ type: 'register' });
    try {
      await this.#followRuntime(signal);
    } finally {
      await Promise.all([...this.#workers.values()].map((worker) => worker.halt()));
      this.#runtime[Symbol.dispose]();
      await Promise.all(this.#leaving);
    }
  }

  #beat(): void {
    const { plan } = this.#parts;
    plan({ type: 'renew' });
    plan({ type: 'report' }, this.#heartbeat.isBehind ? 0 : this.#heartbeat.firstReportMs());
  }

  #partsOfWorkers(): PodWorkerParts {
    const { clock, nodes, client } = this.#parts;
    const { addresses, capacity } = this.#node;
    const executor = this.#runtime.actions ?? new NetworkActions(this.#runtime.runtime, clock);
    return {
      ...this.#parts,
      runtime: this.#runtime,
      executor,
      hooks: new LifecycleHooks(executor, clock),
      volumes: this.#volumes,
      prepareDevices: (pod, signal) => prepareDevices(pod, client, signal),
      hostIps: addresses,
      capacity,
      allocatable: () => nodes.get(this.name)?.status?.allocatable ?? capacity,
      echoes: this.#echoes,
      wake: (key) => this.#plan(key),
      ended: (uid) => this.#admission.release(uid),
      imagesChanged: () => this.#reportImages(),
    };
  }

  #podStreams(): PodStreams {
    const { runtime, logs } = this.#runtime;
    const isRunning = async (id: string): Promise<boolean> =>
      (await runtime.containerStatus(id)).state === 'CONTAINER_RUNNING';
    return new PodStreams({
      runtime,
      logs: logs ?? new FileLogs(this.#parts.clock, isRunning),
      pod: (key) => this.#ownPod(key),
    });
  }

  #ownPod(key: string): Observed<Pod> | undefined {
    const pod = this.#parts.pods.get(key);
    return pod?.spec?.nodeName === this.name ? pod : undefined;
  }

  async #syncPod(key: string): Promise<void> {
    const { clock, plan } = this.#parts;
    const pod = this.#ownPod(key);
    const worker = this.#workerFor(key, pod);
    if (pod === undefined || worker === undefined) return;
    const wakeAtMs = await worker.step(pod);
    if (wakeAtMs !== undefined) plan({ type: 'pod', key }, wakeAtMs - clock.now());
  }

  /** The pod's worker. One of a pod that is gone, or of another of that name, is sent away. */
  #workerFor(key: string, pod: Observed<Pod> | undefined): PodWorker | undefined {
    const known = this.#workers.get(key);
    if (known !== undefined && known.uid === pod?.metadata.uid) return known;
    if (known !== undefined) this.#dismiss(known);
    if (pod === undefined) return undefined;
    const worker = new PodWorker(pod, this.#workerParts);
    this.#workers.set(key, worker);
    this.#admit(pod, worker);
    return worker;
  }

  /** Decides about new pods; those that have begun go on. */
  #admit(pod: Observed<Pod>, worker: PodWorker): void {
    if (isTerminalPhase(pod.status?.phase)) return;
    if (pod.status?.startTime !== undefined || pod.metadata.deletionTimestamp !== undefined) {
      this.#admission.readmit(pod);
      return;
    }
    const rejection = this.#admission.admit(pod, this.#admittingNode());
    if (rejection !== undefined) worker.reject(rejection);
  }

  #admittingNode(): AdmittingNode {
    const node = this.#parts.nodes.get(this.name);
    const { operatingSystem, capacity, taints } = this.#node;
    return {
      name: this.name,
      operatingSystem,
      labels: node?.metadata.labels ?? nodeLabels(this.#node),
      taints: node?.spec?.taints ?? taints,
      allocatable: amountsOf(node?.status?.allocatable ?? capacity),
    };
  }

  #dismiss(worker: PodWorker): void {
    this.#workers.delete(worker.key);
    this.#admission.release(worker.uid);
    const leaving = worker.remove().catch((error: unknown) => {
      this.#parts.log.warn('pod could not be cleaned up', { error, pod: worker.key, node: this.name });
    });
    this.#leaving.add(leaving);
    void leaving.finally(() => this.#leaving.delete(leaving));
  }

  /** Looks at a pod when something happens to its containers; at all of them when events were missed. */
  async #followRuntime(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const key of this.#parts.podsOf(this.name)) this.#plan(key);
      try {
        for await (const { pod, containerEventType } of this.#runtime.runtime.containerEvents(signal)) {
          if (containerEventType === 'CONTAINER_STOPPED_EVENT') this.#plan(`${pod.namespace}/${pod.name}`);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.log.warn('runtime events broke off', { error });
        await this.#parts.clock.sleep(RUNTIME_RETRY_MS, signal);
      }
    }
  }

  /** Looks whether volumes that are mounted were made larger, for as long as there are any. */
  async #growVolumes(): Promise<void> {
    const mounted = this.#volumes.mountedClaims();
    const { client, events, plan } = this.#parts;
    for (const claim of mounted) await growVolume(claim, { client, events, nodeName: this.name });
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
