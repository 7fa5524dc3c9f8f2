import type { ItemBackoff } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import { VolumeDriverError } from './volume-driver.ts';

/** When a driver is asked again what it has refused. */
export const DRIVER_RETRIES = { initialDelay: 1000, maxDelay: 300_000 };

/** Drivers are slower than the queue of a controller thinks: what one refuses is not asked again for a while. */
export async function patiently(
  backoff: ItemBackoff,
  { key, after, log }: Pick<ReconcileContext, 'key' | 'after' | 'log'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    backoff.forget(key);
  } catch (error) {
    if (!(error instanceof VolumeDriverError)) throw error;
    log.warn('the driver refused', { object: key, error });
    after(backoff.nextMs(key));
  }
}
