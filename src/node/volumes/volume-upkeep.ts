import { isTerminalPhase } from '../../api/meaning/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Client, Observed, PersistentVolumeClaim, Pod } from '../../client/index.ts';
import type { EventRecorder } from '../../kit/index.ts';
import { GROW_EVERY_MS, VolumeGrower } from './grow-volume.ts';
import type { MountedClaim, PodVolumes } from './pod-volumes.ts';

export interface VolumeUpkeepParts {
  readonly node: string;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly volumes: PodVolumes;
  readonly clock: Clock;
  /** The pods that a worker of the node runs. */
  pods(): readonly Observed<Pod>[];
  /** Schedules a call of `refresh` or `grow`. */
  plan(task: { readonly type: 'refresh' | 'grow' }, afterMs: number): void;
}

/** For work that is short and not given up. */
const NEVER = new AbortController().signal;

/** Keeps the mounted volumes of a node up to date: the content of those built from the API, and the size of those of claims. */
export class VolumeUpkeep {
  readonly #parts: VolumeUpkeepParts;
  readonly #grower: VolumeGrower;
  /** Pods whose volumes are built from an object that has changed, by uid. */
  readonly #outdated = new Set<string>();

  constructor(parts: VolumeUpkeepParts) {
    this.#parts = parts;
    const { client, clock, events, node: nodeName, volumes } = parts;
    this.#grower = new VolumeGrower({ client, clock, events, nodeName, volumes });
  }

  /** Volumes of the pod are mounted. */
  mounted(pod: Observed<Pod>): void {
    const periodMs = this.#parts.volumes.refreshEveryMs(pod);
    if (periodMs !== undefined) this.#parts.plan({ type: 'refresh' }, periodMs);
  }

  /** An object that the pod refers to has changed: its volumes are updated at the next call of `podChanged`. */
  objectChanged(podUid: string): void {
    this.#outdated.add(podUid);
  }

  /** The pod has ended or is gone. */
  forget(podUid: string): void {
    this.#outdated.delete(podUid);
  }

  /** Updates at once what a change of the pod itself, or of an object that it refers to, has outdated. */
  async podChanged(pod: Observed<Pod>): Promise<void> {
    const isOutdated = this.#outdated.delete(pod.metadata.uid) && isRunning(pod);
    if (isOutdated || this.#parts.volumes.isOutdated(pod)) await this.#refresh(pod, NEVER);
  }

  /** Updates the content of all volumes that are built from the API. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { volumes } = this.#parts;
    for (const pod of this.#parts.pods()) {
      if (!isRunning(pod) || volumes.refreshEveryMs(pod) === undefined) continue;
      await this.#refresh(pod, signal);
      this.mounted(pod);
    }
  }

  /** Grows mounted volumes whose PersistentVolume has grown, and checks again while any claim is mounted. */
  async grow(): Promise<void> {
    const mounted = this.#parts.volumes.mountedClaims();
    this.#grower.forgetOthers(mounted);
    for (const claim of mounted) if (claim.isGrown) await this.#grower.grow(claim, { isMounting: false });
    if (mounted.length > 0) this.#parts.plan({ type: 'grow' }, GROW_EVERY_MS);
  }

  /** Grows a volume that has just been mounted, if it waits for that, and checks all of them from now on. Throws when it cannot grow. */
  async claimMounted(mounted: MountedClaim, claim: Observed<PersistentVolumeClaim>): Promise<void> {
    this.#parts.plan({ type: 'grow' }, GROW_EVERY_MS);
    if (this.#grower.isDue(mounted, claim)) await this.#grower.grow(mounted, { isMounting: true });
  }

  async #refresh(pod: Observed<Pod>, signal: AbortSignal): Promise<void> {
    const problems = await this.#parts.volumes.refresh(pod, { signal });
    if (signal.aborted) return;
    for (const message of problems) this.#parts.events.event(pod, { type: 'Warning', reason: 'FailedMount', message });
  }
}

function isRunning({ metadata, status }: Observed<Pod>): boolean {
  return !isTerminalPhase(status?.phase) && metadata.deletionTimestamp === undefined;
}
