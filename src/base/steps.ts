/** Work that may take long: a generator that yields between its steps, so that the caller can let other work run. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps without a pause. */
export function allAtOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Awaits `pause` between any two steps; without one, runs all steps at once. */
export async function withPauses<T>(steps: Steps<T>, pause: (() => Promise<void>) | undefined): Promise<T> {
  if (pause === undefined) return allAtOnce(steps);
  let step = steps.next();
  while (step.done !== true) {
    await pause();
    step = steps.next();
  }
  return step.value;
}
