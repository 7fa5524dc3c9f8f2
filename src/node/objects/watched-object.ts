import type { Clock, Logger, Random } from '../../base/index.ts';
import {
  type Client,
  type KubernetesObject,
  type ListWatcher,
  type Observed,
  Reflector,
  selected,
} from '../../client/index.ts';
import { type ObjectReference, type PodObject, referenceKey } from './pod-objects.ts';

export interface WatchedObjectParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called when the object is another one than before. */
  changed(): void;
}

/** As a kubelet's: watches of single objects are seldom renewed. */
const MIN_WATCH_MS = 30 * 60_000;
/** How long a reader waits for the first answer of the server. */
const SYNC_MS = 10_000;

/** One ConfigMap or Secret, followed by a watch. The watch ends when the object is immutable, and can be paused while no pod reads it. */
export class WatchedObject {
  readonly #reference: ObjectReference;
  readonly #parts: WatchedObjectParts;
  readonly #waiting = new Set<() => void>();
  #watch: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  #object: PodObject | undefined;
  #isSynced = false;
  #isFixed = false;
  #readMs: number;

  constructor(reference: ObjectReference, parts: WatchedObjectParts) {
    this.#reference = reference;
    this.#parts = parts;
    this.#readMs = parts.clock.monotonic();
    this.#start();
  }

  /** When it was last read, in the clock's monotonic milliseconds. */
  get readMs(): number {
    return this.#readMs;
  }

  /** The object as the server last sent it; undefined when there is none. Throws when the server does not answer. */
  async get(): Promise<PodObject | undefined> {
    this.#readMs = this.#parts.clock.monotonic();
    if (this.#watch === undefined && !this.#isFixed) this.#start();
    if (!this.#isSynced && !(await this.#synced()))
      throw new Error(`failed to sync ${this.#reference.kind} cache: timed out waiting for the condition`);
    return this.#object;
  }

  /** Ends the watch until the object is read again. */
  pause(): void {
    if (!this.#isSynced) return; // the work of the server would be lost
    this.#isSynced = this.#isFixed;
    this.#watch?.stop.abort();
    this.#watch = undefined;
  }

  /** Ends the watch for good. */
  async stop(): Promise<void> {
    this.#isFixed = true;
    this.#watch?.stop.abort();
    await this.#watch?.done;
  }

  #start(): void {
    const { clock, random, log, client } = this.#parts;
    const { namespace, name } = this.#reference;
    const { configmaps, secrets } = client.core.v1;
    const source: ListWatcher<KubernetesObject> = (this.#reference.kind === 'secret' ? secrets : configmaps).namespace(
      namespace,
    );
    const stop = new AbortController();
    const take = (object: Observed<KubernetesObject> | undefined): void => {
      if (!stop.signal.aborted) this.#take(object);
    };
    const reflector = new Reflector(
      selected(source, { fieldSelector: `metadata.name=${name}` }),
      { replace: ([object]) => take(object), add: take, update: take, delete: () => take(undefined) },
      { clock, random, log, name: referenceKey(this.#reference), isLocal: client.isLocal, minWatchTime: MIN_WATCH_MS },
    );
    this.#watch = { stop, done: reflector.run(stop.signal) };
  }

  #take(object: PodObject | undefined): void {
    const isChanged = this.#isSynced && object?.metadata.resourceVersion !== this.#object?.metadata.resourceVersion;
    this.#object = object;
    this.#isSynced = true;
    if (object?.immutable === true) {
      this.#isFixed = true;
      this.#watch?.stop.abort();
    }
    for (const wake of this.#waiting) wake();
    if (isChanged) this.#parts.changed();
  }

  /** False when the server has not answered in time. */
  #synced(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isSynced: boolean): void => {
        timer[Symbol.dispose]();
        this.#waiting.delete(wake);
        resolve(isSynced);
      };
      const wake = (): void => end(true);
      const timer = this.#parts.clock.timer(SYNC_MS, () => end(false));
      this.#waiting.add(wake);
    });
  }
}
