import { hasReason, internalError } from '../../../api/index.ts';
import { areEqualAmounts, amountsOf } from '../../../api/meaning/index.ts';
import type { AdmissionAttributes, ObjectsOf } from '../../../apiserver/index.ts';
import type { Clock } from '../../../base/index.ts';
import type { Quota } from './check-request.ts';

/** How often a batch is retried if others change the same quotas. */
const MAX_TRIES = 4;
const MAX_WAIT_MS = 10_000;

export interface LedgerOptions {
  readonly quotas: ObjectsOf<Quota>;
  readonly clock: Clock;
  /** Whether requests are checked even if there are no quotas. */
  readonly isAlwaysChecked: boolean;
  /** The quotas after a request; throws if it is refused. */
  readonly check: (quotas: readonly Quota[], request: AdmissionAttributes) => readonly Quota[];
  /** Writes the status of a quota; throws a conflict if it has changed since it was read. */
  readonly write: (quota: Quota) => Promise<void>;
}

interface Waiter {
  readonly request: AdmissionAttributes;
  settle(refusal?: unknown): void;
  isSettled: boolean;
}

/**
 * Charges requests to the quotas of their namespaces. Requests that arrive while others of the same namespace are being
 * charged form the next batch, with one write for each quota.
 *
 * A request is admitted only after its usage is written, on top of all earlier writes, so that no number of servers and
 * requests exceeds a quota.
 */
export class QuotaLedger {
  readonly #options: LedgerOptions;
  /** Requests that wait for the running batch, by namespace; bounded by the number of concurrent requests. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  async charge(request: AdmissionAttributes): Promise<void> {
    const { namespace } = request;
    const charged = new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        request,
        isSettled: false,
        settle(refusal) {
          if (waiter.isSettled) return;
          waiter.isSettled = true;
          if (refusal === undefined) resolve();
          else reject(refusal as Error);
        },
      };
      const waiting = this.#waiting.get(namespace);
      if (waiting !== undefined) return void waiting.push(waiter);
      this.#waiting.set(namespace, [waiter]);
      void this.#work(namespace);
    });
    await this.#inTime(charged);
  }

  async #inTime(charged: Promise<void>): Promise<void> {
    const done = new AbortController();
    const tooLate = this.#options.clock.sleep(MAX_WAIT_MS, done.signal).then(() => {
      if (!done.signal.aborted) throw internalError('resource quota evaluation timed out');
    });
    try {
      await Promise.race([charged, tooLate]);
    } finally {
      done.abort();
    }
  }

  async #work(namespace: string): Promise<void> {
    for (let batch = this.#waiting.get(namespace) ?? []; batch.length > 0; batch = this.#waiting.get(namespace) ?? []) {
      this.#waiting.set(namespace, []);
      try {
        await this.#settle(namespace, batch);
      } catch (error) {
        for (const waiter of batch) waiter.settle(error);
      }
    }
    this.#waiting.delete(namespace);
  }

  async #settle(namespace: string, batch: readonly Waiter[]): Promise<void> {
    const { quotas: stored, isAlwaysChecked } = this.#options;
    let quotas = await stored.list(namespace);
    for (let tries = 1; ; tries++) {
      if (tries === 1 && quotas.length === 0 && !isAlwaysChecked) break;
      const failed = await this.#write(quotas, this.#chargeAll(quotas, batch));
      if (failed.size === 0) break;
      const [error] = failed.values();
      if (tries === MAX_TRIES || !hasReason(error, 'Conflict')) throw error;
      // The other quotas have been charged already.
      quotas = (await stored.newestList(namespace)).filter(({ metadata }) => failed.has(metadata.name ?? ''));
    }
    for (const waiter of batch) waiter.settle();
  }

  /** The quotas after all requests that fit; those that do not, and those that change nothing, are settled. */
  #chargeAll(before: readonly Quota[], batch: readonly Waiter[]): readonly Quota[] {
    let quotas = before;
    for (const waiter of batch) {
      if (waiter.isSettled) continue;
      try {
        const after = this.#options.check(quotas, waiter.request);
        if (waiter.request.dryRun || after === quotas) waiter.settle();
        else quotas = after;
      } catch (refusal) {
        waiter.settle(refusal);
      }
    }
    return quotas;
  }

  /** Writes the changed quotas; returns the failures by quota name. */
  async #write(before: readonly Quota[], after: readonly Quota[]): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    for (const [index, quota] of after.entries()) {
      const old = before[index];
      if (quota === old || areEqualAmounts(amountsOf(quota.status.used), amountsOf(old?.status.used))) continue;
      try {
        await this.#options.write(quota);
      } catch (error) {
        failed.set(quota.metadata.name ?? '', error);
      }
    }
    return failed;
  }
}
