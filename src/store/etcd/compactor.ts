import { type Clock, discardLogger, type Logger, type Runnable } from '../../base/index.ts';
import type { Revision } from '../store.ts';
import { type EtcdClient, missingFromAnswer } from './etcd-client.ts';
import { isCompacted } from './etcd-errors.ts';
import { COMPARE_VERSION } from './messages/kv.ts';
import { COMPACT, TXN } from './messages/methods.ts';

/** The key through which all API servers of a cluster, kube-apiserver included, agree on which of them compacts. */
const KEY = 'compact_rev_key';
const DEFAULT_INTERVAL_MS = 5 * 60 * 1000;

const encoder = new TextEncoder();

/** What a server remembers between two rounds. */
export interface CompactionRound {
  /** How often the key has been written, as far as this server knows: the number of rounds of all servers. */
  readonly version: number;
  /** The revision of the last round, up to which the next round compacts. 0 before the first. */
  readonly revision: Revision;
}

export const FIRST_ROUND: CompactionRound = { version: 0, revision: 0 };

export interface CompactorOptions {
  readonly clock: Clock;
  /** Min history that is kept; default 5 minutes. */
  readonly intervalMs?: number;
  readonly log?: Logger;
}

/** Makes etcd drop history older than five to ten minutes, as kube-apiserver does. */
export class Compactor implements Runnable {
  readonly #client: EtcdClient;
  readonly #options: CompactorOptions;
  readonly #log: Logger;

  constructor(client: EtcdClient, options: CompactorOptions) {
    this.#client = client;
    this.#options = options;
    this.#log = options.log ?? discardLogger;
  }

  async run(signal: AbortSignal): Promise<void> {
    let round = FIRST_ROUND;
    for (;;) {
      await this.#options.clock.sleep(this.#options.intervalMs ?? DEFAULT_INTERVAL_MS, signal);
      if (signal.aborted) return;
      try {
        const { next, compactTo } = await takeRound(this.#client, round, signal);
        round = next;
        if (compactTo > 0) await compact(this.#client, compactTo, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#log.error('etcd not compacted', { error });
      }
    }
  }
}

/**
 * Tries to be the one server that compacts in this round: the first to write the key with the version it knows. A
 * server that is too late learns the current version, and can win again when the others stop.
 *
 * `compactTo` is 0 when another server won, or when it is too early.
 */
export async function takeRound(
  client: EtcdClient,
  known: CompactionRound,
  signal?: AbortSignal,
): Promise<{ readonly next: CompactionRound; readonly compactTo: Revision }> {
  const request = {
    compare: [{ target: COMPARE_VERSION, key: KEY, version: known.version }],
    success: [{ put: { key: KEY, value: encoder.encode(String(known.revision)) } }],
    failure: [{ range: { key: KEY } }],
  };
  const response = await client.call(TXN, request, { isRepeatable: false, signal });
  const revision = response.header?.revision;
  if (revision === undefined) throw missingFromAnswer('revision');
  if (response.succeeded === true) {
    return { next: { version: known.version + 1, revision }, compactTo: known.revision };
  }
  const version = response.responses?.[0]?.range?.kvs?.[0]?.version ?? 0; // absent: the key was deleted
  return { next: { version, revision }, compactTo: 0 };
}

async function compact(client: EtcdClient, revision: Revision, signal: AbortSignal): Promise<void> {
  try {
    await client.call(COMPACT, { revision }, { isRepeatable: true, signal });
  } catch (error) {
    if (!isCompacted(error)) throw error;
  }
}
