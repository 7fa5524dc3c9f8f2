/** Long work. `run` resolves once stopped by the signal (or when done), leaves nothing behind, and rejects only on a fault. */
export interface Runnable {
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Runs all tasks until each has stopped.
 *
 * When `signal` aborts, all are told to stop. When one fails, the rest are told to stop, and once they have, the first
 * error is thrown. A task that answers the abort by rejecting with its reason counts as stopped, not as failed.
 */
export async function runTogether(tasks: readonly Runnable[], signal: AbortSignal): Promise<void> {
  const scope = new AbortController();
  const failures: unknown[] = [];
  const stopAll = (): void => scope.abort(signal.reason);
  if (signal.aborted) stopAll();
  else signal.addEventListener('abort', stopAll, { once: true });
  const runOne = async (task: Runnable): Promise<void> => {
    try {
      await task.run(scope.signal);
    } catch (error) {
      if (isAnswerTo(scope.signal, error)) return;
      failures.push(error);
      scope.abort(error);
    }
  };
  await Promise.all(tasks.map(runOne));
  signal.removeEventListener('abort', stopAll);
  if (failures.length > 0) throw failures[0];
}

/** Resolves when the signal aborts; at once if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Node's own functions reject either with the reason itself or with an AbortError that has it as its cause. */
function isAnswerTo(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted) return false;
  return (
    error === signal.reason || (error instanceof Error && error.name === 'AbortError' && error.cause === signal.reason)
  );
}
