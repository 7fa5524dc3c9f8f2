import type { Clock, Logger } from '../../base/index.ts';
import type { ClusterKeys, ClusterPki } from './cluster-pki.ts';

export interface RenewalOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the certificates after every check. */
  readonly use: (pki: ClusterPki) => void;
}

/** Often enough for a certificate that is renewed a month ahead, and for one that was replaced. */
const CHECK_EVERY_MS = 24 * 60 * 60 * 1000;

/** Checks the certificates once a day, so that those about to expire are renewed; until the result is disposed of. */
export function keepRenewed(keys: Pick<ClusterKeys, 'read'>, { clock, log, use }: RenewalOptions): Disposable {
  let isOver = false;
  const look = async (): Promise<void> => {
    try {
      const pki = await keys.read();
      if (!isOver) use(pki);
    } catch (error) {
      log.error('certificates cannot be renewed', { error });
    }
    if (!isOver) timer = clock.timer(CHECK_EVERY_MS, wake);
  };
  const wake = (): void => void look();
  let timer = clock.timer(CHECK_EVERY_MS, wake);
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}
