import type { Clock } from '../../base/index.ts';
import type { IpFamily } from './proxied-port.ts';

/** How one IP family is doing. */
export interface FamilyHealth {
  readonly lastUpdatedMs: number;
  readonly isHealthy: boolean;
}

/** Whether a proxy keeps up with the changes of Services. */
export interface HealthReport {
  /** True when no change has waited for longer than the limit. */
  readonly isHealthy: boolean;
  /** The last time any family was up to date. */
  readonly lastUpdatedMs: number;
  readonly families: ReadonlyMap<IpFamily, FamilyHealth>;
}

/** Whether changes reach the rules in time: a proxy is unhealthy while one has waited for longer than the limit. */
export class ProxyHealth {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #limitMs: number;
  readonly #updatedMs = new Map<IpFamily, number>();
  /** When the oldest change arrived that is not in the rules yet. */
  readonly #waitingSinceMs = new Map<IpFamily, number>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** A change has arrived. */
  queued(family: IpFamily): void {
    if (!this.#waitingSinceMs.has(family)) this.#waitingSinceMs.set(family, this.#clock.monotonic());
  }

  /** The rules say what was known when the last sync began. */
  updated(family: IpFamily): void {
    this.#waitingSinceMs.delete(family);
    this.#updatedMs.set(family, this.#clock.now());
  }

  report(): HealthReport {
    const nowMs = this.#clock.monotonic();
    const families = new Map(
      [...this.#updatedMs].map(([family, lastUpdatedMs]): [IpFamily, FamilyHealth] => [
        family,
        { lastUpdatedMs, isHealthy: nowMs - (this.#waitingSinceMs.get(family) ?? nowMs) < this.#limitMs },
      ]),
    );
    return {
      isHealthy: [...families.values()].every(({ isHealthy }) => isHealthy),
      lastUpdatedMs: Math.max(0, ...[...families.values()].map(({ lastUpdatedMs }) => lastUpdatedMs)),
      families,
    };
  }
}
