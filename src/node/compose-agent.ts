import { isTerminalPhase } from '../api/meaning/index.ts';
import type { Clock, Logger, Random } from '../base/index.ts';
import { type Client, keyOf, type Node, type Observed, type Pod } from '../client/index.ts';
import { EchoFilter, type EventRecorder, type Objects } from '../kit/index.ts';
import { PodGate } from './admission/pod-gate.ts';
import type { NodeBackend, NodeSettings } from './backend/index.ts';
import type { ConfigSources } from './config/index.ts';
import { podClaims } from './devices/index.ts';
import { nodeImagePuller } from './images/index.ts';
import { DEFAULT_IDS, PodIsolations, UserNamespaces } from './isolation/index.ts';
import { allocatableOf, NodeHeartbeat } from './machine/index.ts';
import { NodeCleaner } from './node-cleaner.ts';
import { NodeCounts } from './node-counts.ts';
import { NodeGuards } from './node-guards.ts';
import type { NodePods } from './node-pods.ts';
import { openPodObjects, type PodObjects, referencedData } from './objects/index.ts';
import { PodEvents } from './pod-events.ts';
import type { PodNetwork } from './pod-network.ts';
import { PodTimings } from './pod-timings.ts';
import type { PodWorker, PodWorkerParts } from './pod-worker.ts';
import { apiPodWriter, type PodWriter } from './pod-writer.ts';
import { LifecycleHooks, type ProbeRecord } from './probes/index.ts';
import { PodResizes } from './resizing/index.ts';
import type { ServedNode } from './server/index.ts';
import { isStaticPod } from './static-pods/index.ts';
import { PodStreams } from './streams/index.ts';
import {
  ApiVolumeData,
  GROW_EVERY_MS,
  PodContents,
  PodVolumes,
  PodVolumesUsage,
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
  /** Variables of containers that tell where Services are. */
  readonly services: ConfigSources['services'];
  /** Receives the addresses of pods; default they are not reported. */
  readonly network?: PodNetwork | undefined;
  /** Whether an earlier run of the agent has registered the node; default false. */
  readonly isRegistered?: boolean;
  /** Whether the pods of the API are known yet; default true. Until then nothing counts as left over. */
  hasSynced?(): boolean;
  /** The keys of the pods that are bound to the node. */
  podsOf(node: string): readonly string[];
  /** Schedules a call of `perform` with this task. */
  plan(task: NodeTask, afterMs?: number): void;
}

/** What the parts of an agent need from the agent itself. */
export interface AgentCore {
  readonly pods: NodePods;
  /** Where workers report their pods; default the API. */
  readonly writer: PodWriter | undefined;
  workers(): Iterable<PodWorker>;
  /** The worker that runs this very pod. */
  worker(pod: Observed<Pod>): PodWorker | undefined;
  /** Whether a pod that is gone is still being removed from the machine. */
  isLeaving(podUid: string): boolean;
  /** Frees what was reserved for a pod that has ended. */
  release(podUid: string): void;
  /** Images have changed: they are reported soon. */
  reportImages(): void;
}

/** The parts that an agent works with. */
export interface AgentParts {
  readonly streams: PodStreams;
  readonly served: ServedNode;
  readonly objects: PodObjects;
  readonly contents: PodContents;
  readonly volumes: PodVolumes;
  readonly upkeep: VolumeUpkeep;
  readonly cleaner: NodeCleaner;
  readonly guards: NodeGuards;
  readonly gate: PodGate;
  readonly heartbeat: NodeHeartbeat;
  readonly echoes: EchoFilter;
  /** Made for the first pod, as the next two, so that an idle node takes less memory. */
  timings(): PodTimings;
  resizes(): PodResizes;
  /** Shared by the workers of all pods. */
  workerParts(): PodWorkerParts;
}

/** Makes the parts of a node's agent, and connects them with each other, with the backend, and with the agent. */
export function composeAgent(
  settings: NodeSettings,
  backend: NodeBackend,
  { core, ...parts }: NodeAgentParts & { readonly core: AgentCore },
): AgentParts {
  const { client, clock, random, log, nodes, events, services, plan, isRegistered = false } = parts;
  const { name } = settings;
  const { runtime, logs, machine, images, metrics, resources } = backend;
  const node = (): Observed<Node> | undefined => nodes.get(name);
  const pod = (uid: string): Observed<Pod> | undefined => core.pods.byUid(uid);
  const pods = (): readonly Observed<Pod>[] => core.pods.all();
  const wake = (key: string): void => plan({ type: 'pod', key });
  const report = (): void => plan({ type: 'report' });
  const allocatable = (): Readonly<Record<string, string>> => node()?.status?.allocatable ?? allocatableOf(machine);
  const counts = new NodeCounts();
  const echoes = new EchoFilter();

  const timings = madeOnce(
    () => new PodTimings({ now: () => clock.now(), pullMs: (uid) => metrics?.pullMs(uid) ?? 0 }),
  );
  const streams = new PodStreams({ runtime, logs, pod: (key) => core.pods.get(key) });
  const served: ServedNode = {
    ...{ settings, streams, clock, backend, counts },
    pods: () => pods().map((each) => asKnown(each, core.worker(each))),
    startedAtMs: clock.now(),
    pod: (key) => core.pods.get(key),
    usage: () => backend.usage.read(pods(), node()),
    volumes: (each) => volumesUsage.of(each),
    timings: () => [
      ...(timings.isMade() ? timings.get().families() : []),
      ...(resizes.isMade() ? resizes.get().families() : []),
    ],
    probes: () => probesOf(core.workers()),
  };
  const inUse = new VolumesInUse(report);
  const objects = openPodObjects(settings.changeDetection ?? 'Get', {
    ...{ client, clock, random, log, node },
    changed: (uid) => {
      const changed = pod(uid);
      if (changed === undefined) return;
      upkeep.objectChanged(uid);
      wake(keyOf(changed));
    },
  });
  const sources = { data: referencedData(objects), services };
  const data = new ApiVolumeData(client, { objects, clock, random });
  const contents = new PodContents({ data, machine, allocatable, pod });
  const volumes = new PodVolumes({
    ...{ clock, contents, client, inUse, node, metrics: counts.metrics },
    plugins: backend.volumes,
    mounted: (mounted, claim) => upkeep.claimMounted(mounted, claim),
    takenOver: () => plan({ type: 'grow' }, GROW_EVERY_MS),
  });
  const volumesUsage = new PodVolumesUsage({ clock, volumes, metrics: counts.metrics });
  const upkeep = new VolumeUpkeep({
    ...{ node: name, client, clock, events, volumes, plan },
    pods: () => pods().filter((each) => core.worker(each) !== undefined),
  });
  const isLeft = (uid: string): boolean => core.pods.knowsAll() && !core.isLeaving(uid);
  const cleaner = new NodeCleaner({
    ...{ backend, volumes, log, counts },
    removed: (uid) => {
      if (workerParts.isMade()) workerParts.get().isolations.release(uid);
    },
    isKnown: (uid) => !isLeft(uid) || pod(uid) !== undefined,
    usesVolumes: (uid) => {
      if (!isLeft(uid)) return true;
      const known = pod(uid);
      return known !== undefined && !isTerminalPhase(known.status?.phase);
    },
  });
  const guards = new NodeGuards(settings, {
    ...{ clock, log, events, backend, pods, report, counts },
    worker: (each) => core.worker(each),
    removeDead: (hasEnded) => cleaner.removeDead(hasEnded),
    volumes: (each) => volumesUsage.of(each),
  });
  const gate = new PodGate({
    ...{ settings, backend, node, counts, clock },
    resizes: () => resizes.get(),
    refuse: (each) => guards.refuse(each),
    active: () => guards.active(),
    preempt: (each, resource) => guards.preempt(each, resource),
    hasEnded: (each) => guards.hasEnded(each),
  });
  const resizes = madeOnce(
    () =>
      new PodResizes({
        ...{ clock, log, machine, resources, pod, wake, metrics: counts.metrics },
        reserve: (each) => gate.resize(each),
        event: (each, details) => new PodEvents(events).pod(each, details),
        plan: (afterMs) => plan({ type: 'resize' }, afterMs),
      }),
  );
  const heartbeat = new NodeHeartbeat(settings, {
    ...{ client, clock, random, log, nodes, events, backend, isRegistered },
    volumesInUse: () => [...new Set([...inUse.list(), ...volumes.held()])].toSorted(),
    pressure: () => guards.pressure,
    problem: () => guards.problem,
    healthChanged: () => {
      for (const worker of core.workers()) worker.retrySandbox();
    },
  });
  const workerParts = madeOnce((): PodWorkerParts => ({
    ...{ ...parts, settings, backend, sources, volumes, contents, allocatable, counts, echoes, wake },
    writer: core.writer ?? apiPodWriter(parts.pods),
    hooks: new LifecycleHooks(backend.actions, { clock, metrics: counts.metrics }),
    puller: nodeImagePuller(settings, {
      ...{ client, clock, log, images, metrics: counts.metrics },
      secret: (namespace, secret) => sources.data.secret(namespace, secret),
    }),
    prepareDevices: async (each, signal) =>
      backend.devices.prepare(each, await podClaims(each, client, signal), signal),
    isolations: new PodIsolations({
      client,
      userNamespaces: new UserNamespaces({
        files: backend.files,
        root: machine.folders.root,
        ids: settings.userNamespaceIds ?? DEFAULT_IDS,
      }),
      runtime: () => heartbeat.health?.runtime,
    }),
    health: () => heartbeat.health,
    volumesMounted: (each) => upkeep.mounted(each),
    ended: (uid) => core.release(uid),
    resizes: resizes.get(),
    imagesChanged: () => core.reportImages(),
    imageFound: (id) => {
      if (!heartbeat.hasReported(id)) core.reportImages();
    },
  }));
  return {
    ...{ streams, served, objects, contents, volumes, upkeep, cleaner, guards, gate, heartbeat, echoes },
    timings: timings.get,
    resizes: resizes.get,
    workerParts: workerParts.get,
  };
}

/** A static pod with the status that the node knows, which no API server may have. */
function asKnown(pod: Observed<Pod>, worker: Pick<PodWorker, 'status'> | undefined): Observed<Pod> {
  return worker !== undefined && isStaticPod(pod) ? { ...pod, status: worker.status } : pod;
}

function* probesOf(workers: Iterable<PodWorker>): Generator<ProbeRecord> {
  for (const worker of workers) yield* worker.probeRecords();
}

/** A part that is made when it is first asked for. */
function madeOnce<T>(make: () => T): { get(): T; isMade(): boolean } {
  let made: T | undefined;
  return { get: () => (made ??= make()), isMade: () => made !== undefined };
}
