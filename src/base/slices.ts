/** What a piece of work may take before others get a turn. */
const SLICE_MS = 4;

/**
 * Long work in slices, so that it does not keep the one thread from everybody else: after each small step,
 * `if (slices.isOver) await slices.next()`.
 */
export class Slices {
  #begunAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#begunAt > SLICE_MS;
  }

  /** Lets everything else that is ready go first. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    this.#begunAt = performance.now();
  }
}
