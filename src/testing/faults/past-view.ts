import type { Transport } from '../../client/index.ts';
import type { Answer, Call } from '../../cluster/index.ts';

/** A cluster as it was at one moment, to be read only. Disposing lets it go. */
export interface PastView extends Disposable {
  /** Carries requests of a user to it. */
  transportOf(user: string, groups: readonly string[]): Transport;
  /** Answers a request that came over the network. */
  answer(call: Call): Promise<Answer>;
}
