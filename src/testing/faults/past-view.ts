import type { Transport } from '../../client/index.ts';
import type { Answer, Call } from '../../cluster/index.ts';

/** A read-only snapshot of a cluster. Disposing closes it. */
export interface PastView extends Disposable {
  /** A transport for requests of a user to the snapshot. */
  transportOf(user: string, groups: readonly string[]): Transport;
  /** Answers a request that came over the network. */
  answer(call: Call): Promise<Answer>;
}
