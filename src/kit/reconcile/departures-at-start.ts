import { Backoff, describeError, type Runnable } from '../../base/index.ts';
import { keyOf, type KubernetesObject, type Observed } from '../../client/index.ts';
import type { AddKeyOptions } from '../work/keyed-workers.ts';
import { hasFinalizer } from './finalizer.ts';
import type { RunParts } from './run-parts.ts';

const FIRST_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

type AddKey = (key: string, options: AddKeyOptions) => void;

/** Looks once, at the start, for objects that left while the controller did not run: they have its finalizer, or children. */
export class DeparturesAtStart<T extends KubernetesObject> implements Runnable {
  readonly #parts: RunParts<T>;
  readonly #add: AddKey;
  #isLooking = true;

  constructor(parts: RunParts<T>, add: AddKey) {
    this.#parts = parts;
    this.#add = add;
  }

  /** False during a search; true while waiting for a retry. */
  get isIdle(): boolean {
    return !this.#isLooking;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { app, name } = this.#parts;
    const backoff = new Backoff({ initialMs: FIRST_MS, capMs: MAX_BACKOFF_MS, jitter: 0.5 }, app.random);
    while (!signal.aborted) {
      try {
        this.#isLooking = true;
        return await this.#look(signal);
      } catch (error) {
        if (signal.aborted) return;
        app.log.warn('cannot look for objects that have left', { controller: name, error: describeError(error) });
      } finally {
        this.#isLooking = false;
      }
      await app.clock.sleep(backoff.nextMs(), signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { app, kind, options, own, departures } = this.#parts;
    const all = app.client.kindIn(kind, options.where?.namespace).metadata();
    for await (const object of all.items({ signal })) {
      const key = keyOf(object);
      if (own.get(key) !== undefined || !this.#isOurs(object)) continue;
      departures.lostSightOf(key);
      this.#add(key, { why: `${kind.kind} ${key} left`, isLowPriority: true });
    }
  }

  #isOurs(object: Observed<KubernetesObject>): boolean {
    const { declared, options, finalizer } = this.#parts;
    if (options.finalize !== undefined && hasFinalizer(object, finalizer)) return true;
    const { uid } = object.metadata;
    return (options.owns ?? []).some((kind) => declared.objects(kind).list({ controlledBy: uid }).length > 0);
  }
}
