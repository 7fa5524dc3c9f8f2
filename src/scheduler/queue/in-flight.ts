import type { Change, ClusterEvent } from '../framework/cluster-event.ts';

export interface SeenEvent {
  readonly event: ClusterEvent;
  readonly change: Change;
}

/** Maximum number of events kept. A pod that missed a dropped event is retried without asking the plugins. */
const MAX_EVENTS = 10_000;

/**
 * Pods that are being scheduled, with the cluster events since each was popped: an event may make a pod schedulable
 * while it is being rejected.
 */
export class InFlight {
  /** By uid: the position of the first event after the pod was popped; ascending, because pods are appended. */
  readonly #since = new Map<string, number>();
  #events: SeenEvent[] = [];
  /** The position of the oldest event kept. */
  #start = 0;

  get size(): number {
    return this.#since.size;
  }

  has(uid: string): boolean {
    return this.#since.has(uid);
  }

  /** False if the pod is already being scheduled. */
  add(uid: string): boolean {
    if (this.#since.has(uid)) return false;
    this.#since.set(uid, this.#start + this.#events.length);
    return true;
  }

  record(event: ClusterEvent, change: Change): void {
    if (this.#since.size === 0) return;
    this.#events.push({ event, change });
    if (this.#events.length > MAX_EVENTS) this.#dropBefore(this.#start + MAX_EVENTS / 2);
  }

  /** The events since the pod was popped; undefined when some of them were dropped. */
  eventsSince(uid: string): readonly SeenEvent[] | undefined {
    const since = this.#since.get(uid);
    if (since === undefined || since < this.#start) return undefined;
    return this.#events.slice(since - this.#start);
  }

  done(uid: string): void {
    if (!this.#since.delete(uid)) return;
    const [oldest] = this.#since.values();
    if (oldest === undefined) this.#dropBefore(this.#start + this.#events.length);
    else if (oldest > this.#start) this.#dropBefore(oldest);
  }

  #dropBefore(position: number): void {
    if (position <= this.#start) return;
    this.#events = this.#events.slice(position - this.#start);
    this.#start = position;
  }
}
