import { Heap, type HeapEntry } from '../../base/index.ts';
import type { BackoffTimes } from './backoff-times.ts';
import type { QueuedPod } from './queued-pod.ts';

/** Where a pod waits: ready to be scheduled, in back-off after a rejection or an error, or for a cluster event. */
export type Place = 'active' | 'backoff' | 'errorBackoff' | 'unschedulable';

interface Slot {
  readonly pod: QueuedPod;
  readonly place: Place;
  readonly entry: HeapEntry<QueuedPod> | undefined;
}

export interface PodPlacesOptions {
  readonly backoff: BackoffTimes;
  /** Whether the first pod is scheduled before the second. */
  isBefore(first: QueuedPod, second: QueuedPod): boolean;
}

/** The waiting pods, each in one place. Bounded by the number of pods in the cluster. */
export class PodPlaces {
  readonly #slots = new Map<string, Slot>();
  readonly #heaps: Readonly<Record<Exclude<Place, 'unschedulable'>, Heap<QueuedPod>>>;
  readonly #unschedulable = new Set<QueuedPod>();
  readonly #backoff: BackoffTimes;
  #nextSequence = 0;

  constructor({ backoff, isBefore }: PodPlacesOptions) {
    this.#backoff = backoff;
    const isTriedBefore = (first: QueuedPod, second: QueuedPod): boolean => {
      if (isBefore(first, second)) return true;
      return !isBefore(second, first) && first.sequence < second.sequence;
    };
    const endsBefore = (first: QueuedPod, second: QueuedPod): boolean => {
      const difference = backoff.endOf(first) - backoff.endOf(second);
      return difference === 0 ? isTriedBefore(first, second) : difference < 0;
    };
    this.#heaps = {
      active: new Heap(isTriedBefore),
      backoff: new Heap(endsBefore),
      errorBackoff: new Heap(endsBefore),
    };
  }

  size(place: Place): number {
    return place === 'unschedulable' ? this.#unschedulable.size : this.#heaps[place].size;
  }

  /** A copy of the list of pods that wait for an event, so that the caller may move them. */
  unschedulable(isWanted?: (pod: QueuedPod) => boolean): QueuedPod[] {
    if (isWanted === undefined) return [...this.#unschedulable];
    const wanted: QueuedPod[] = [];
    for (const pod of this.#unschedulable) if (isWanted(pod)) wanted.push(pod);
    return wanted;
  }

  *all(): Generator<QueuedPod> {
    for (const { pod } of this.#slots.values()) yield pod;
  }

  get(key: string): QueuedPod | undefined {
    return this.#slots.get(key)?.pod;
  }

  placeOf(key: string): Place | undefined {
    return this.#slots.get(key)?.place;
  }

  /** Moves the pod to the place. */
  put(pod: QueuedPod, place: Place): void {
    this.remove(pod.key);
    pod.sequence = this.#nextSequence++;
    if (place === 'unschedulable') this.#unschedulable.add(pod);
    const entry = place === 'unschedulable' ? undefined : this.#heaps[place].push(pod);
    this.#slots.set(pod.key, { pod, place, entry });
  }

  /** Updates a pod in its place and restores the order. */
  change(key: string, change: (pod: QueuedPod) => void): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    const { sequence } = slot.pod;
    if (slot.entry !== undefined && slot.place !== 'unschedulable') this.#heaps[slot.place].remove(slot.entry);
    change(slot.pod);
    if (slot.place === 'unschedulable') return;
    slot.pod.sequence = sequence;
    this.#slots.set(key, { ...slot, entry: this.#heaps[slot.place].push(slot.pod) });
  }

  remove(key: string): QueuedPod | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    this.#slots.delete(key);
    if (slot.place === 'unschedulable') this.#unschedulable.delete(slot.pod);
    else if (slot.entry !== undefined) this.#heaps[slot.place].remove(slot.entry);
    return slot.pod;
  }

  /** Takes the first pod at the place. */
  take(place: 'active' | 'backoff'): QueuedPod | undefined {
    const pod = this.#heaps[place].pop();
    if (pod !== undefined) this.#slots.delete(pod.key);
    return pod;
  }

  /** Takes a pod whose back-off is over. */
  takeBackedOff(): QueuedPod | undefined {
    for (const place of ['backoff', 'errorBackoff'] as const) {
      const first = this.#heaps[place].peek();
      if (first !== undefined && this.#backoff.isOver(first)) return this.remove(first.key);
    }
    return undefined;
  }

  /** The time at which the next back-off is over. */
  nextBackoffEndMs(): number | undefined {
    const firsts = [this.#heaps.backoff.peek(), this.#heaps.errorBackoff.peek()].filter((pod) => pod !== undefined);
    if (firsts.length === 0) return undefined;
    return Math.min(...firsts.map((pod) => this.#backoff.overAtMs(pod)));
  }
}
