import type { Clock } from '../../../base/index.ts';
import { keyOf, type Observed, PersistentVolume, PersistentVolumeClaim, Pod } from '../../../client/index.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';

/** A condition to wait for. */
export interface VolumeWait {
  /** The objects whose changes trigger a new check, such as `PersistentVolumeClaim default/data`. */
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether the wait is over; throws when the condition can never hold. */
  isOver(): boolean;
}

/**
 * Pods that wait for their volumes to be bound. A wait is checked when one of its claims, volumes or the pod changes.
 */
export class VolumeWaits {
  readonly #clock: Clock;
  readonly #wakers = new Map<string, Set<() => void>>();

  constructor({ clock, onChange }: Pick<PluginContext, 'clock' | 'onChange'>) {
    this.#clock = clock;
    const claimChanged = (claim: Observed<PersistentVolumeClaim>): void => this.#wake(claimKey(claim));
    onChange(PersistentVolumeClaim, { add: claimChanged, update: claimChanged, delete: claimChanged });
    const volumeChanged = ({ spec }: Observed<PersistentVolume>): void => {
      const { namespace, name } = spec?.claimRef ?? {};
      if (name !== undefined) this.#wake(`PersistentVolumeClaim ${namespace}/${name}`);
    };
    onChange(PersistentVolume, { add: volumeChanged, update: volumeChanged, delete: volumeChanged });
    onChange(Pod, { delete: (pod) => this.#wake(`Pod ${keyOf(pod)}`) });
  }

  /**
   * Resolves when the wait is over; rejects when the condition can never hold, on timeout, or when the signal aborts.
   */
  until({ keys, timeoutMs, signal, isOver }: VolumeWait): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        timer[Symbol.dispose]();
        signal.removeEventListener('abort', abort);
        for (const key of keys) this.#forget(key, look);
        settle();
      };
      const look = (): void => {
        try {
          if (isOver()) end(resolve);
        } catch (error) {
          end(() => reject(error as Error));
        }
      };
      const abort = (): void => end(() => reject(signal.reason as Error));
      const timer = this.#clock.timer(timeoutMs, () => end(() => reject(new Error('context deadline exceeded'))));
      for (const key of keys) this.#wakers.set(key, (this.#wakers.get(key) ?? new Set()).add(look));
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      else look();
    });
  }

  #wake(key: string): void {
    for (const look of this.#wakers.get(key) ?? []) look();
  }

  #forget(key: string, look: () => void): void {
    const wakers = this.#wakers.get(key);
    wakers?.delete(look);
    if (wakers?.size === 0) this.#wakers.delete(key);
  }
}

/** The key of a claim in `VolumeWait.keys`. */
export function claimKey(claim: Observed<PersistentVolumeClaim>): string {
  return `PersistentVolumeClaim ${keyOf(claim)}`;
}
