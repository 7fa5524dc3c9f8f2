import type { ApiObject } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';

/**
 * Which policies run again in the second pass of mutation: reinvocable ones that ran before something changed the
 * object. One for each request.
 */
export class ReinvokedPolicies {
  /** Reinvocable policies that ran since the last change. */
  readonly #ran = new Set<string>();
  readonly #again = new Set<string>();
  #last: ApiObject | undefined;

  /** Call when the object has changed: all policies that ran before are to run again. */
  changed(): void {
    for (const key of this.#ran) this.#again.add(key);
    this.#ran.clear();
  }

  /** Other plugins may have changed the object between the passes. */
  beginSecondPass(object: ApiObject | undefined): void {
    if (object !== this.#last && !deepEqual(object, this.#last)) this.changed();
  }

  runsAgain(key: string): boolean {
    return this.#again.has(key);
  }

  hasRun(key: string): void {
    this.#ran.add(key);
  }

  endPass(object: ApiObject | undefined): void {
    this.#last = object;
  }
}
