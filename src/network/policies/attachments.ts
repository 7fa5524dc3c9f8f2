import { onAbort } from '../../base/index.ts';
import type { PolicedPod } from './policed-pod.ts';

/** Which pod it is, by key and uid. */
export type PodIdentity = Pick<PolicedPod, 'key' | 'uid'>;

interface Waiting extends PodIdentity {
  resolve(): void;
}

/** What the node has said about addresses, and the callers that wait until it is in effect. Outlives a run of the engine. */
export class Attachments {
  readonly addresses = new Map<string, PodIdentity & { readonly addresses: readonly string[] }>();
  readonly #waiting = new Set<Waiting>();

  add({ key, uid }: PodIdentity, addresses: readonly string[], signal: AbortSignal): Promise<void> {
    this.addresses.set(uid, { key, uid, addresses });
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const waiting: Waiting = {
        key,
        uid,
        resolve: () => {
          this.#waiting.delete(waiting);
          aborting[Symbol.dispose]();
          resolve();
        },
      };
      const aborting = onAbort(signal, () => {
        this.#waiting.delete(waiting);
        reject(signal.reason as Error);
      });
      this.#waiting.add(waiting);
    });
  }

  remove({ uid }: PodIdentity): void {
    this.addresses.delete(uid);
  }

  waiting(isKnown: (pod: PodIdentity) => boolean): readonly Waiting[] {
    return [...this.#waiting].filter(isKnown);
  }
}
