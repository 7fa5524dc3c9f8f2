import { isTerminalPhase } from '../api/meaning/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { Family } from './backend/metric-family.ts';
import { Timings } from './timings.ts';

/** Bounds of the durations of starts, in seconds: upstream's. */
const START_BOUNDS = Float64Array.of(
  ...[0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600],
);
const COUNT_BOUNDS = Float64Array.of(1, 2, 4, 8, 16);

/** What is remembered of a pod until it is gone. */
interface KnownPod {
  readonly seenAtMs: number;
  isStarted: boolean;
  isSynced: boolean;
}

export interface TimingParts {
  now(): number;
  /** See `BackendMetrics.pullMs`. */
  pullMs(podUid: string): number;
}

/** How long pods take to start and to be worked on, and how long the runtime takes to be listed. */
export class PodTimings {
  readonly #parts: TimingParts;
  readonly #pods = new Map<string, KnownPod>();
  readonly #starts = new Timings(
    'kubelet_pod_start_duration_seconds',
    'Time from when the node first saw a pod until it ran.',
    START_BOUNDS,
  );
  readonly #totals = new Timings(
    'kubelet_pod_start_total_duration_seconds',
    'Time from when a pod was created until it was seen to run.',
    START_BOUNDS,
  );
  readonly #indicator = new Timings(
    'kubelet_pod_start_sli_duration_seconds',
    'Time from when a pod was created until it was seen to run, without pulls of images and init containers.',
    START_BOUNDS,
  );
  readonly #work = new Timings('kubelet_pod_worker_duration_seconds', 'Time to work on a pod once, by operation.');
  readonly #workStarts = new Timings(
    'kubelet_pod_worker_start_duration_seconds',
    'Time from when the node first saw a pod until work on it began.',
  );
  readonly #lists = new Timings('kubelet_pleg_relist_duration_seconds', 'Time to list the pods of the runtime.');
  readonly #intervals = new Timings('kubelet_pleg_relist_interval_seconds', 'Time between lists of the runtime.');
  readonly #containers = new Timings('kubelet_containers_per_pod_count', 'Containers of pods.', COUNT_BOUNDS);
  #listedAtMs: number | undefined;

  constructor(parts: TimingParts) {
    this.#parts = parts;
  }

  /** Another version of a pod was seen. */
  podSeen(pod: Observed<Pod>): void {
    const { uid, creationTimestamp = '' } = pod.metadata;
    const nowMs = this.#parts.now();
    const known = this.#pods.get(uid);
    if (known === undefined) {
      const isStarted = isTerminalPhase(pod.status?.phase) || hasStarted(pod); // by an earlier run of the agent
      this.#pods.set(uid, { seenAtMs: nowMs, isStarted, isSynced: isStarted });
      if (!isStarted) this.#containers.observe(pod.spec?.containers.length ?? 0);
      return;
    }
    if (known.isStarted || !hasStarted(pod)) return;
    known.isStarted = true;
    const createdMs = Date.parse(creationTimestamp);
    const totalMs = nowMs - (Number.isNaN(createdMs) ? known.seenAtMs : Math.min(createdMs, known.seenAtMs));
    this.#starts.observe((nowMs - known.seenAtMs) / 1000);
    this.#totals.observe(totalMs / 1000);
    const isStateful = pod.spec?.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined) === true;
    if (!isStateful) this.#indicator.observe(Math.max(0, totalMs - this.#parts.pullMs(uid) - initMs(pod)) / 1000);
  }

  podRemoved(uid: string): void {
    this.#pods.delete(uid);
  }

  /** Runs work on a pod and measures it. */
  async working<T>(pod: Observed<Pod> | undefined, work: () => Promise<T>): Promise<T> {
    const beganMs = this.#parts.now();
    const known = this.#pods.get(pod?.metadata.uid ?? '');
    const isFirst = known?.isSynced === false;
    if (known !== undefined && isFirst) {
      known.isSynced = true;
      this.#workStarts.observe((beganMs - known.seenAtMs) / 1000);
    }
    try {
      return await work();
    } finally {
      const isEnd = pod === undefined || pod.metadata.deletionTimestamp !== undefined;
      const operation_type = isEnd ? 'kill' : isFirst ? 'create' : 'sync';
      this.#work.observe((this.#parts.now() - beganMs) / 1000, { operation_type });
    }
  }

  /** Lists the runtime and measures that. */
  async listing<T>(list: () => Promise<T>): Promise<T> {
    const beganMs = this.#parts.now();
    if (this.#listedAtMs !== undefined) this.#intervals.observe((beganMs - this.#listedAtMs) / 1000);
    try {
      return await list();
    } finally {
      this.#listedAtMs = this.#parts.now();
      this.#lists.observe((this.#listedAtMs - beganMs) / 1000);
    }
  }

  families(): readonly Family[] {
    const all = [this.#starts, this.#totals, this.#indicator, this.#work, this.#workStarts, this.#lists];
    const seen = this.#listedAtMs === undefined ? [] : [{ value: this.#listedAtMs / 1000 }];
    return [
      ...[...all, this.#intervals, this.#containers].map((each) => each.family()),
      {
        name: 'kubelet_pleg_last_seen_seconds',
        type: 'gauge',
        help: 'When the runtime was last listed, in seconds since 1970.',
        samples: seen,
      },
    ];
  }
}

function hasStarted({ spec, status }: Observed<Pod>): boolean {
  const statuses = status?.containerStatuses ?? [];
  const count = spec?.containers.length ?? 0;
  return statuses.length >= count && statuses.every(({ state }) => state?.running !== undefined);
}

/** How long init containers ran, one after the other. */
function initMs({ status }: Observed<Pod>): number {
  return (status?.initContainerStatuses ?? []).reduce((total, { state }) => {
    const { startedAt = '', finishedAt = '' } = state?.terminated ?? {};
    const ms = Date.parse(finishedAt) - Date.parse(startedAt);
    return total + (ms > 0 ? ms : 0);
  }, 0);
}
