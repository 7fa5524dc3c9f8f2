import type { ItemBackoff } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import { NotReadyError, VolumeDriverError } from './volume-driver.ts';

/** Back-off between calls that a driver refuses. */
export const DRIVER_RETRIES = { initialDelay: 1000, maxDelay: 300_000 };

/** Runs a driver call with a longer back-off than the controller's queue has. */
export async function withDriverBackoff(
  backoff: ItemBackoff,
  { key, after, log }: Pick<ReconcileContext, 'key' | 'after' | 'log'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    backoff.forget(key);
  } catch (error) {
    if (!(error instanceof VolumeDriverError || error instanceof NotReadyError)) throw error;
    log.warn('the driver refused', { object: key, error });
    after(backoff.nextMs(key));
  }
}
