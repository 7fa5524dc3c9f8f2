import { numberOfInt64 } from '../api/client.ts';
import { DurationError, parseDuration } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { DeviceEdits } from './backend/index.ts';
import type { PodIsolation } from './isolation/index.ts';
import {
  type BackOff,
  crashKey,
  type Eviction,
  type PodMemory,
  type PodStatus,
  type ResizeState,
  type ResizeView,
  type StartFailure,
  timeMs,
} from './life/index.ts';
import type { PodResizes, ResizePlan } from './resizing/index.ts';
import type { ContainerStatus } from './runtime/index.ts';
import type { VolumeWaits } from './volumes/index.ts';

/** Waiting reasons that are not failures. */
const PLAIN_WAITS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** What a node remembers of a pod. It is initialised from the pod's status, so that a restart of the process changes nothing. */
export class PodRecord implements PodMemory {
  status: PodStatus;
  readonly failures = new Map<string, StartFailure>();
  readonly backOffs = new Map<string, BackOff>();
  readonly stopping = new OnceEach();
  /** The characters of each container's configuration after expansion, by container. */
  readonly configured = new Map<string, number>();
  /** The sandbox whose addresses the network knows; see `PodNetwork`. */
  attachedSandbox: string | undefined;
  sandboxFailure: { readonly retryAtMs: number } | undefined;
  /** Set while volumes of the pod are not mounted. */
  waitsForVolumesSinceMs: number | undefined;
  readonly volumeRetries: VolumeWaits['volumeRetries'] = new Map();
  terminatingSinceMs: number | undefined;
  /** The edits of the pod's devices; undefined until this run of the agent has prepared them. */
  deviceEdits: DeviceEdits | undefined;
  /** The handler of the pod's RuntimeClass; undefined until this run of the agent has looked it up. */
  runtimeHandler: string | undefined;
  /** How the pod is kept apart from the machine; undefined until this run of the agent has looked it up. */
  isolation: PodIsolation | undefined;
  /** What the node remembers of the pod's resizes. */
  resize: ResizeState | undefined;
  /** What is left to do of a resize. */
  resizePlan: ResizePlan | undefined;
  /** Time of the next try after a resize has failed. */
  resizeRetryAtMs: number | undefined;
  eviction: Eviction | undefined;
  /** Nothing of the pod runs any more, and nothing will be started. */
  hasEnded = false;
  /** Its volumes and devices are released. */
  isReleased = false;
  rejection: { readonly reason: string; readonly message: string } | undefined;

  constructor(pod: Observed<Pod>) {
    this.status = pod.status ?? {};
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const endsMs = timeMs(deletionTimestamp);
    this.terminatingSinceMs =
      endsMs === undefined ? undefined : endsMs - numberOfInt64(deletionGracePeriodSeconds) * 1000;
    for (const status of [...(this.status.initContainerStatuses ?? []), ...(this.status.containerStatuses ?? [])]) {
      const { reason, message = '' } = status.state?.waiting ?? {};
      if (reason === undefined || PLAIN_WAITS.has(reason)) continue;
      this.failures.set(status.name, { reason, message });
      const backOff = crashBackOff(message, timeMs(status.lastState?.terminated?.startedAt));
      if (reason === 'CrashLoopBackOff' && backOff !== undefined) this.backOffs.set(crashKey(status.name), backOff);
    }
  }

  /** Takes over what the node knows of the pod's resizes, and returns what has to be done. */
  followResize(
    resizes: Pick<PodResizes, 'progress' | 'stateOf'>,
    pod: Observed<Pod>,
    running: readonly ContainerStatus[],
  ): ResizeView | undefined {
    const named = running.map(({ id, metadata }) => ({ id, name: metadata.name }));
    this.resizePlan = resizes.progress(pod, named);
    this.resize = resizes.stateOf(pod.metadata.uid);
    if (this.resizePlan === undefined) return undefined;
    return { restarts: this.resizePlan.restarts, retryAtMs: this.resizeRetryAtMs };
  }
}

/** A set of names; `add` returns whether the name is new. */
class OnceEach {
  readonly #seen = new Set<string>();

  add(name: string): boolean {
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }
}

/** Parses the back-off from a waiting message. It was decided when the container that then failed was started. */
function crashBackOff(message: string, startedAtMs: number | undefined): BackOff | undefined {
  const text = /^back-off (\S+) /.exec(message)?.[1];
  if (text === undefined || startedAtMs === undefined) return undefined;
  try {
    return { delayMs: parseDuration(text), updatedAtMs: startedAtMs };
  } catch (error) {
    if (error instanceof DurationError) return undefined; // another program's message
    throw error;
  }
}
