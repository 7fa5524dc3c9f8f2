import { useEffect } from 'preact/hooks';

/** Runs a task while the view is shown, and again from the start when one of `inputs` changes. */
export function useRun(task: (signal: AbortSignal) => Promise<void> | void, inputs: readonly unknown[]): void {
  useEffect(() => {
    const stop = new AbortController();
    void Promise.resolve(task(stop.signal)).catch((error: unknown) => {
      if (!stop.signal.aborted) console.error(error);
    });
    return () => stop.abort();
  }, inputs as unknown[]);
}
