import { describeError, type Logger } from '../base/index.ts';
import { hasReason, type WorkQueue } from '../client/index.ts';

export interface QueueWorkersOptions {
  /** Items worked on at a time. */
  readonly concurrency: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** What became of an item: done with it, or it is to be tried again when the queue's rate limiter allows. */
export type WorkOutcome = 'done' | 'again';

/** Works on the items of a queue until the signal aborts. What fails is tried again, later and later. */
export async function runQueueWorkers<Item>(
  queue: WorkQueue<Item>,
  work: (item: Item) => Promise<WorkOutcome>,
  { concurrency, log, signal }: QueueWorkersOptions,
): Promise<void> {
  const worker = async (): Promise<void> => {
    while (!signal.aborted) {
      const item = await queue.take(signal).catch(() => undefined); // aborted
      if (item === undefined) return;
      const outcome = await attempt(item);
      queue.done(item);
      if (outcome === 'done') queue.forget(item);
      else queue.addRateLimited(item);
    }
  };
  const attempt = async (item: Item): Promise<WorkOutcome> => {
    try {
      return await work(item);
    } catch (error) {
      if (signal.aborted) return 'done';
      const level = hasReason(error, 'Conflict') ? 'debug' : 'warn'; // somebody was faster: the next try sees it
      log[level]('work failed, will be tried again', { item: String(item), error: describeError(error) });
      return 'again';
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  queue.shutDown();
}
