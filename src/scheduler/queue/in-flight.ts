import type { Change, ClusterEvent } from '../framework/cluster-event.ts';

export interface SeenEvent {
  readonly event: ClusterEvent;
  readonly change: Change;
}

/** The most events that are kept. Pods for which an event was dropped are tried again without asking the plugins. */
const MAX_EVENTS = 10_000;

/**
 * Pods that are being tried, and the events in the cluster since each of them was taken from the queue: an event may have
 * made a pod schedulable while it was being rejected.
 */
export class InFlight {
  /** The position of the first event that each pod has not seen; ascending, as pods are added. By uid. */
  readonly #since = new Map<string, number>();
  #events: SeenEvent[] = [];
  /** The position of the first event that is kept. */
  #start = 0;

  get size(): number {
    return this.#since.size;
  }

  has(uid: string): boolean {
    return this.#since.has(uid);
  }

  /** False if the pod is being tried already. */
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

  /** What has happened since the pod was taken; undefined when not all of it is known. */
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
