import type { KubernetesObject, Observed } from '../kind.ts';

/** One change that an informer reports to a handler. */
export type Notification<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly object: Observed<T>; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly object: Observed<T>; readonly old: Observed<T> }
  | { readonly type: 'delete'; readonly object: Observed<T>; readonly isFinalStateUnknown: boolean };

interface Slot<T extends KubernetesObject> {
  readonly key: string;
  /** Undefined after the notification was delivered or cancelled by a merge. */
  notification: Notification<T> | undefined;
}

/** The array of an empty queue is compacted when it has this many taken slots: there are hundreds of queues. */
const MAX_TAKEN_WHEN_EMPTY = 32;
/** The same while slots wait, if the taken ones are more than half of the array. */
const MAX_TAKEN = 1024;

/**
 * The notifications that wait for one handler, oldest first.
 *
 * When the inbox is full (beyond `capacity`), a new notification is merged into the one that already waits for the same
 * object: a slow handler sees fewer intermediate steps, but always the newest state. The number of objects then bounds
 * the size.
 */
export class HandlerInbox<T extends KubernetesObject> {
  readonly #capacity: number;
  #slots: Slot<T>[] = [];
  #head = 0;
  #size = 0;
  /** The last slot of each object; kept only while the inbox is over capacity. */
  #lastOf: Map<string, Slot<T>> | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  push(key: string, notification: Notification<T>): void {
    if (this.#size >= this.#capacity && this.#merge(key, notification)) return;
    const slot = { key, notification };
    this.#slots.push(slot);
    this.#size += 1;
    this.#lastOf?.set(key, slot);
  }

  shift(): Notification<T> | undefined {
    while (this.#head < this.#slots.length) {
      const slot = this.#slots[this.#head++] as Slot<T>;
      const { notification } = slot;
      slot.notification = undefined; // frees the objects; the slot stays until the next compaction
      this.#compact();
      if (notification === undefined) continue;
      this.#size -= 1;
      if (this.#lastOf?.get(slot.key) === slot) this.#lastOf.delete(slot.key);
      if (this.#size < this.#capacity / 2) this.#lastOf = undefined;
      return notification;
    }
    return undefined;
  }

  clear(): void {
    this.#slots = [];
    this.#head = 0;
    this.#size = 0;
    this.#lastOf = undefined;
  }

  #merge(key: string, notification: Notification<T>): boolean {
    this.#lastOf ??= this.#findLast();
    const slot = this.#lastOf.get(key);
    const waiting = slot?.notification;
    if (slot === undefined || waiting === undefined) return false;
    const merged = merge(waiting, notification);
    if (merged === 'separate') return false;
    slot.notification = merged;
    if (merged === undefined) {
      this.#size -= 1;
      this.#lastOf.delete(key);
    }
    return true;
  }

  #findLast(): Map<string, Slot<T>> {
    const last = new Map<string, Slot<T>>();
    for (let index = this.#head; index < this.#slots.length; index++) {
      const slot = this.#slots[index] as Slot<T>;
      if (slot.notification !== undefined) last.set(slot.key, slot);
    }
    return last;
  }

  #compact(): void {
    const maxTaken = this.#head === this.#slots.length ? MAX_TAKEN_WHEN_EMPTY : MAX_TAKEN;
    if (this.#head < maxTaken || this.#head * 2 < this.#slots.length) return;
    this.#slots = this.#slots.slice(this.#head);
    this.#head = 0;
  }
}

/** Merges two changes of one object into one; undefined when they cancel out. */
function merge<T extends KubernetesObject>(
  waiting: Notification<T>,
  next: Notification<T>,
): Notification<T> | undefined | 'separate' {
  if (waiting.type === 'delete' || next.type === 'add') return 'separate'; // a recreated object is a different object
  if (waiting.type === 'add') return next.type === 'delete' ? undefined : { ...waiting, object: next.object };
  return next.type === 'delete' ? next : { type: 'update', object: next.object, old: waiting.old };
}
