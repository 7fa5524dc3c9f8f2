import { type Logger, messageOf } from '../../base/index.ts';
import type { RuntimeService } from '../runtime/index.ts';

/** Passes the pod ranges of a node on to its runtime, which may configure the network of pods with them. */
export class RuntimeRanges {
  readonly #runtime: RuntimeService;
  readonly #log: Logger;
  /** What the runtime has accepted. */
  #accepted = '';

  constructor(runtime: RuntimeService, log: Logger) {
    this.#runtime = runtime;
    this.#log = log;
  }

  /** Sends ranges that the runtime does not have yet. When it fails, the next call tries again. */
  async send(ranges: readonly string[]): Promise<void> {
    const podCidr = ranges.join(',');
    if (podCidr === '' || podCidr === this.#accepted) return;
    try {
      await this.#runtime.updateRuntimeConfig?.({ podCidr });
      this.#accepted = podCidr;
    } catch (error) {
      this.#log.warn('runtime does not take the pod ranges of the node', {
        ranges: podCidr,
        problem: messageOf(error),
      });
    }
  }
}
