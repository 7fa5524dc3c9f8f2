/** Work that may take long: a generator that yields between its steps, where others can have their turn. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all steps at once. */
export function allAtOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Waits for `pause` between any two steps. Without one, all are done at once. */
export async function withPauses<T>(steps: Steps<T>, pause: (() => Promise<void>) | undefined): Promise<T> {
  if (pause === undefined) return allAtOnce(steps);
  let step = steps.next();
  while (step.done !== true) {
    await pause();
    step = steps.next();
  }
  return step.value;
}
