import { keyOf } from '../../client/index.ts';
import type { Observed, Pod, Service } from '../../client/index.ts';
import { readyCondition } from '../../api/meaning/index.ts';

/** The annotation with the time of the change that led to the current endpoints. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Remembers the last state of services and their pods, to determine the time of the earliest change since. */
export class TriggerTimes {
  readonly #seen = new Map<string, ReadonlyMap<string, string>>();

  /** The time of the change being processed, if any; for a new service, its creation. */
  next(service: Observed<Service>, pods: readonly Observed<Pod>[]): string | undefined {
    const key = keyOf(service);
    const before = this.#seen.get(key);
    const now = new Map<string, string>();
    for (const pod of pods) {
      const time = readyCondition(pod)?.lastTransitionTime;
      if (time !== undefined) now.set(pod.metadata.name, time);
    }
    this.#seen.set(key, now);
    if (before === undefined) return service.metadata.creationTimestamp;
    const changes = [...now].filter(([name, time]) => time > (before.get(name) ?? '')).map(([, time]) => time);
    return changes.toSorted()[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** The annotations with the trigger time set or removed. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> = {},
  time: string | undefined,
): Record<string, string> {
  const { [TRIGGER_TIME]: _, ...others } = annotations;
  return time === undefined ? others : { ...others, [TRIGGER_TIME]: time };
}
