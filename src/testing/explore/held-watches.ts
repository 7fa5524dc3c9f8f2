/** How held watches go on: with all events, or with an expired watch, so that clients list again. */
export type HoldEnd = 'events' | 'relist';

interface Hold {
  /** Events that still pass. */
  left: number;
  readonly ended: Promise<HoldEnd>;
  readonly end: (how: HoldEnd) => void;
  readonly how: HoldEnd;
}

/** Which watches deliver nothing at the moment. */
export class HeldWatches {
  readonly #holds = new Map<string, Hold>();

  get isEmpty(): boolean {
    return this.#holds.size === 0;
  }

  /** Holds the watches of a resource, after `after` more events; `how` is how they go on. */
  hold(resource: string, after: number, how: HoldEnd): void {
    let end: (how: HoldEnd) => void = () => undefined;
    const ended = new Promise<HoldEnd>((resolve) => (end = resolve));
    this.#holds.set(resource, { left: after, ended, end, how });
  }

  release(resource: string): void {
    const hold = this.#holds.get(resource);
    this.#holds.delete(resource);
    hold?.end(hold.how);
  }

  releaseAll(): void {
    for (const resource of [...this.#holds.keys()]) this.release(resource);
  }

  /** For the next event of a resource: undefined if it may pass, or a promise of how to go on. */
  next(resource: string): Promise<HoldEnd> | undefined {
    const hold = this.#holds.get(resource) ?? this.#holds.get('*');
    if (hold === undefined) return undefined;
    if (hold.left > 0) {
      hold.left -= 1;
      return undefined;
    }
    return hold.ended;
  }
}
