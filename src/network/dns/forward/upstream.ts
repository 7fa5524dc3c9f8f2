import type { Clock, Logger } from '../../../base/index.ts';
import { formatUpstream, type UpstreamAddress } from './upstream-address.ts';

/** Failures in a row after which a server counts as down. */
const MAX_FAILURES = 2;
const PROBE_EVERY_MS = 500;
/** A server that stays down is asked less and less often, at least this often. */
const MAX_PROBE_EVERY_MS = 15_000;

/**
 * One upstream server and whether it answers.
 *
 * A server that fails twice in a row is down: it is asked only when all are, and probed until it answers again.
 */
export class Upstream {
  readonly address: UpstreamAddress;
  /** `192.0.2.1:53` */
  readonly name: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Asks the server anything. */
  readonly #probe: (upstream: Upstream) => Promise<void>;
  #failures = 0;
  #probing: Disposable | undefined;
  #probeEveryMs = PROBE_EVERY_MS;
  #isLoop = false;

  constructor(
    address: UpstreamAddress,
    tools: { readonly clock: Clock; readonly log: Logger; readonly probe: (upstream: Upstream) => Promise<void> },
  ) {
    this.address = address;
    this.name = formatUpstream(address);
    this.#clock = tools.clock;
    this.#log = tools.log;
    this.#probe = tools.probe;
  }

  get isDown(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  /** Whether questions to the server come back to us. It is never asked again. */
  get isLoop(): boolean {
    return this.#isLoop;
  }

  foundLoop(): void {
    if (this.#isLoop) return;
    this.#isLoop = true;
    this.stop();
    this.#log.error('upstream server sends questions back to this one, it is not asked any more', {
      upstream: this.name,
    });
  }

  succeeded(): void {
    if (this.isDown) this.#log.info('upstream server answers again', { upstream: this.name });
    this.#failures = 0;
    this.stop();
  }

  failed(error: unknown): void {
    this.#failures += 1;
    if (this.#failures === MAX_FAILURES) {
      this.#log.warn('upstream server does not answer', { upstream: this.name, error });
      this.#probeEveryMs = PROBE_EVERY_MS;
      this.#planProbe();
    }
  }

  /** Ends probing. */
  stop(): void {
    this.#probing?.[Symbol.dispose]();
    this.#probing = undefined;
  }

  #planProbe(): void {
    this.#probing = this.#clock.timer(this.#probeEveryMs, () => {
      this.#probeEveryMs = Math.min(2 * this.#probeEveryMs, MAX_PROBE_EVERY_MS);
      this.#probe(this).then(
        () => this.succeeded(),
        () => {
          if (this.#probing !== undefined) this.#planProbe();
        },
      );
    });
  }
}
