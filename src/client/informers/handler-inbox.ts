import type { KubernetesObject, Observed } from '../kind.ts';

/** What a handler is told. */
export type Notification<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly object: Observed<T>; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly object: Observed<T>; readonly old: Observed<T> }
  | { readonly type: 'delete'; readonly object: Observed<T>; readonly isFinalStateUnknown: boolean };

interface Slot<T extends KubernetesObject> {
  readonly key: string;
  /** Undefined once merged away. */
  notification: Notification<T> | undefined;
}

/** So many slots that were taken may stay: few when nothing waits behind them, since there are hundreds of handlers. */
const FEW = 32;
const MANY = 1024;

/**
 * What one handler has still to be told, oldest first.
 *
 * The rule for "full": beyond `capacity` nothing is lost, but what happens to an object that waits already is merged into
 * what it waits with, so that a slow handler sees fewer steps and always the newest state. The size is then bounded by the
 * number of objects.
 */
export class HandlerInbox<T extends KubernetesObject> {
  readonly #capacity: number;
  #slots: Slot<T>[] = [];
  #head = 0;
  #size = 0;
  /** The last slot of each object; only kept while the inbox is over its capacity. */
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
      slot.notification = undefined; // the slot itself stays until the next compaction, the objects do not
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
    const most = this.#head === this.#slots.length ? FEW : MANY;
    if (this.#head < most || this.#head * 2 < this.#slots.length) return;
    this.#slots = this.#slots.slice(this.#head);
    this.#head = 0;
  }
}

/** Two things that happened to an object as one; undefined when they cancel out. */
function merge<T extends KubernetesObject>(
  waiting: Notification<T>,
  next: Notification<T>,
): Notification<T> | undefined | 'separate' {
  if (waiting.type === 'delete' || next.type === 'add') return 'separate'; // an object that came back is another object
  if (waiting.type === 'add') return next.type === 'delete' ? undefined : { ...waiting, object: next.object };
  return next.type === 'delete' ? next : { type: 'update', object: next.object, old: waiting.old };
}
