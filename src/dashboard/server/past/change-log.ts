import type { Clock } from '../../../base/index.ts';
import type { ServedKind } from '../../../client/index.ts';
import type { KubernetesObject, Moment } from '../../protocol.ts';

/** A change that was seen. Its objects have no values of Secrets. */
export interface SeenChange {
  readonly revision: number;
  readonly timeMs: number;
  readonly kind: ServedKind;
  readonly before?: KubernetesObject;
  readonly after?: KubernetesObject;
  /** About what it takes to keep it. */
  readonly bytes: number;
}

export interface ChangeLogLimits {
  readonly keepMs: number;
  readonly maxBytes: number;
}

/** More are not kept, however small they are. */
const MAX_CHANGES = 200_000;

/** Changes in the order of their revisions. The oldest are dropped when they are too old, too many or too large. */
export class ChangeLog {
  readonly #limits: ChangeLogLimits;
  readonly #clock: Pick<Clock, 'now'>;
  #changes: SeenChange[] = [];
  #bytes = 0;
  /** The state before the oldest change that is kept. */
  #since: Moment;

  constructor(limits: ChangeLogLimits, clock: Pick<Clock, 'now'>) {
    this.#limits = limits;
    this.#clock = clock;
    this.#since = { revision: 0, time: new Date(clock.now()).toISOString() };
  }

  get changes(): readonly SeenChange[] {
    return this.#changes;
  }

  /** The oldest moment whose state is known. */
  get since(): Moment {
    return this.#since;
  }

  get newest(): Moment {
    const last = this.#changes.at(-1);
    return last === undefined ? this.#since : momentOf(last);
  }

  /** What exists at this revision was not seen to change: the log begins there. */
  beginAt(revision: number): void {
    if (this.#changes.length === 0 && revision > this.#since.revision) this.#since = { ...this.#since, revision };
  }

  /** Watches of different kinds may be a little ahead of each other. */
  add(change: SeenChange): void {
    let at = this.#changes.length;
    while (at > 0 && (this.#changes[at - 1]?.revision ?? 0) > change.revision) at -= 1;
    this.#changes.splice(at, 0, change);
    this.#bytes += change.bytes;
    this.#drop();
  }

  /** The last revision that was seen until then. */
  revisionAt(ms: number): number {
    return this.#changes.findLast(({ timeMs }) => timeMs <= ms)?.revision ?? this.#since.revision;
  }

  #drop(): void {
    const { keepMs, maxBytes } = this.#limits;
    const oldestMs = this.#clock.now() - keepMs;
    let count = 0;
    for (const { timeMs, bytes } of this.#changes) {
      const isFull = this.#bytes > maxBytes || this.#changes.length - count > MAX_CHANGES;
      if (!isFull && timeMs >= oldestMs) break;
      this.#bytes -= bytes;
      count += 1;
    }
    const last = this.#changes[count - 1];
    if (last === undefined) return;
    this.#since = momentOf(last);
    this.#changes = this.#changes.slice(count);
  }
}

export function momentOf({ revision, timeMs }: Pick<SeenChange, 'revision' | 'timeMs'>): Moment {
  return { revision, time: new Date(timeMs).toISOString() };
}
