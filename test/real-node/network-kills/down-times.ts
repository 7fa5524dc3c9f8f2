/** What was down or changing when, so that failed calls can be explained. */
export class DownTimes {
  readonly #times: { readonly what: string; readonly startMs: number; endMs: number }[] = [];

  /** Notes that something is down from now on; the returned function says that it is back, and no longer felt after this many milliseconds. */
  begin(what: string): (feltMs: number) => void {
    const time = { what, startMs: performance.now(), endMs: Infinity };
    this.#times.push(time);
    return (feltMs) => void (time.endMs = performance.now() + feltMs);
  }

  /** The first of these things that was down at some moment of the time. */
  during(startMs: number, endMs: number, whats: readonly string[]): string | undefined {
    return this.#times.find((time) => whats.includes(time.what) && time.startMs <= endMs && time.endMs >= startMs)
      ?.what;
  }
}
