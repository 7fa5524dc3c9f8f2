import type { Clock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { PodVolumes } from './pod-volumes.ts';
import { usedVolumes } from './used-volumes.ts';
import { setUpProblem, VolumeNotReady } from './volume-errors.ts';

/** Interval at which an unbound claim is checked, and the time after which an event is recorded and it is checked less often. */
const CLAIM_POLL_MS = 300;
const CLAIM_PATIENCE_MS = 3000;
const SLOW_POLL_MS = 10_000;
/** Time that volumes may take to be attached and mounted before an event is recorded. */
const PATIENCE_MS = 123_000;
/** Delay before a volume that could not be mounted is tried again; doubled each time. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 122_000;

/** What a node remembers of the volumes that a pod waits for. */
export interface VolumeWaits {
  /** Set while some volume is not mounted. */
  waitsForVolumesSinceMs: number | undefined;
  /** Volumes that could not be mounted, by name. */
  readonly volumeRetries: Map<string, { readonly delayMs: number; readonly retryAtMs: number }>;
}

export interface MountVolumesParts {
  readonly clock: Clock;
  readonly volumes: PodVolumes;
  readonly waits: VolumeWaits;
  /** Records a warning about the pod with the reason `FailedMount`. */
  failed(message: string): void;
}

/** Mounts the volumes that containers of a pod use. Returns when to try again; undefined when all are mounted. */
export async function mountVolumes(
  pod: Observed<Pod>,
  parts: MountVolumesParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { clock, volumes, waits } = parts;
  const due = usedVolumes(pod).filter(({ name }) => clock.now() >= (waits.volumeRetries.get(name)?.retryAtMs ?? 0));
  const results = await Promise.allSettled(due.map((volume) => volumes.mount(pod, volume, { signal })));
  if (signal.aborted) return clock.now();
  const notReady: VolumeNotReady[] = [];
  for (const [index, { name }] of due.entries()) {
    const result = results[index];
    if (result?.status !== 'rejected') waits.volumeRetries.delete(name);
    else if (result.reason instanceof VolumeNotReady) {
      waits.volumeRetries.delete(name); // it is polled from now on
      notReady.push(result.reason);
    } else retryLater(name, result.reason, parts);
  }
  if (notReady.length === 0 && waits.volumeRetries.size === 0) {
    waits.waitsForVolumesSinceMs = undefined;
    return undefined;
  }
  return waitFor(notReady, parts);
}

function retryLater(name: string, error: unknown, { clock, waits, failed }: MountVolumesParts): void {
  const delayMs = Math.min(2 * (waits.volumeRetries.get(name)?.delayMs ?? FIRST_RETRY_MS / 2), MAX_RETRY_MS);
  waits.volumeRetries.set(name, { delayMs, retryAtMs: clock.now() + delayMs });
  failed(setUpProblem(name, error));
}

/** Records an event when the pod has waited for long. Claims that were created with their pod are usually bound at once. */
function waitFor(notReady: readonly VolumeNotReady[], { clock, waits, failed }: MountVolumesParts): number {
  const nowMs = clock.now();
  waits.waitsForVolumesSinceMs ??= nowMs;
  const waitedMs = nowMs - waits.waitsForVolumesSinceMs;
  const unprocessed = notReady.filter(({ reason }) => reason === 'processing');
  const unattached = notReady.filter(({ reason }) => reason === 'attachment');
  const isOver = waitedMs >= PATIENCE_MS;
  if (isOver) waits.waitsForVolumesSinceMs = nowMs; // the next event comes after the same time
  if (isOver || (unprocessed.length > 0 && waitedMs >= CLAIM_PATIENCE_MS)) {
    const unmounted = [...notReady.map(({ volume }) => volume), ...waits.volumeRetries.keys()].sort();
    const problem = unprocessed.map(({ message }) => message).join('; ') || 'context deadline exceeded';
    const lists = `unmounted volumes=[${unmounted.join(' ')}], unattached volumes=${listOf(unattached)}`;
    failed(`Unable to attach or mount volumes: ${lists}, failed to process volumes=${listOf(unprocessed)}: ${problem}`);
  }
  const pollMs = waitedMs >= CLAIM_PATIENCE_MS ? SLOW_POLL_MS : CLAIM_POLL_MS;
  const retries = [...waits.volumeRetries.values()].map(({ retryAtMs }) => retryAtMs);
  const patienceMs = waits.waitsForVolumesSinceMs + PATIENCE_MS;
  return Math.min(...retries, patienceMs, notReady.length === 0 ? Infinity : nowMs + pollMs);
}

function listOf(notReady: readonly VolumeNotReady[]): string {
  return `[${notReady
    .map(({ volume }) => volume)
    .sort()
    .join(' ')}]`;
}
