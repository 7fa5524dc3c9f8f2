import { aborted } from '../base/index.ts';
import type { ListWatcher } from '../client/index.ts';

/** The objects of a kind that the server's version of Kubernetes does not have: none, and there will be none. */
export const noObjects: ListWatcher<never> = {
  list: () => Promise.resolve({ items: [], resourceVersion: '1', continue: undefined, remainingItemCount: undefined }),
  async *watchBatches({ signal, sendInitialEvents = false }) {
    if (sendInitialEvents) yield [{ type: 'BOOKMARK', resourceVersion: '1', endsInitialEvents: true }];
    if (signal !== undefined) await aborted(signal);
  },
};
