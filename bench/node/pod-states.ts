import { EventEmitter, once } from 'node:events';
import type { Observed, Pod, ResourceClient } from '../../src/client/index.ts';

/** What a pod is waited for to be. */
export type PodState = 'running' | 'ready' | 'gone';

/** When each pod was first seen in each state, by a watch. */
export class PodStates implements AsyncDisposable {
  readonly #pods: ResourceClient<Pod>;
  readonly #seen = new Map<string, Map<PodState, number>>();
  readonly #changes = new EventEmitter();
  readonly #stop = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #failure: unknown;

  private constructor(pods: ResourceClient<Pod>) {
    this.#pods = pods;
  }

  static async watch(pods: ResourceClient<Pod>): Promise<PodStates> {
    const states = new PodStates(pods);
    const { resourceVersion } = await pods.page();
    states.#watching = states.#watch(resourceVersion).catch((error: unknown) => {
      if (states.#stop.signal.aborted) return;
      states.#failure = error;
      states.#changes.emit('change');
    });
    return states;
  }

  /** Milliseconds of performance.now(). */
  at(name: string, state: PodState): number {
    const seen = this.#seen.get(name)?.get(state);
    if (seen === undefined) throw new Error(`Pod "${name}" was not seen ${state}`);
    return seen;
  }

  /** Waits until all of them have been in this state. */
  async until(names: readonly string[], state: PodState, { limitMs }: { readonly limitMs: number }): Promise<void> {
    const signal = AbortSignal.timeout(limitMs);
    for (;;) {
      const missing = names.filter((name) => this.#seen.get(name)?.has(state) !== true);
      if (missing.length === 0) return;
      if (this.#failure !== undefined) throw new Error('Cannot watch pods', { cause: this.#failure });
      try {
        await once(this.#changes, 'change', { signal });
      } catch (cause) {
        const which = `${missing.length} of ${names.length} pods, "${missing[0]}" the first`;
        throw new Error(`Waited ${limitMs / 1000} s for pods to be ${state}: ${which}, are not`, { cause });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #watch(from: string): Promise<void> {
    const { signal } = this.#stop;
    let resourceVersion = from;
    while (!signal.aborted)
      for await (const events of this.#pods.watchBatches({ resourceVersion, signal })) {
        const now = performance.now();
        for (const event of events) {
          if (event.type === 'BOOKMARK') continue;
          resourceVersion = event.object.metadata.resourceVersion;
          for (const state of statesOf(event.object)) this.#note(event.object, state, now);
          if (event.type === 'DELETED') this.#note(event.object, 'gone', now);
        }
        this.#changes.emit('change');
      }
  }

  #note({ metadata: { name } }: Observed<Pod>, state: PodState, now: number): void {
    const states = this.#seen.get(name) ?? new Map<PodState, number>();
    this.#seen.set(name, states);
    if (!states.has(state)) states.set(state, now);
  }
}

function statesOf({ status }: Observed<Pod>): readonly PodState[] {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return [...(status?.phase === 'Running' ? (['running'] as const) : []), ...(isReady ? (['ready'] as const) : [])];
}
