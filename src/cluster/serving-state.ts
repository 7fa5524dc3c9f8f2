import { MetricRegistry } from '../base/index.ts';

/** What changes while a server runs. Its paths report it. */
export class ServingState {
  /** `host:port`, as discovery reports it; empty until the server listens. */
  address = '';
  /** Whether the objects that every cluster has are there. */
  isBootstrapped = false;
  /** Whether the server is about to stop, so that load balancers should send new clients elsewhere. */
  isDraining = false;
}

/** What `/metrics` shows: what the server counts, and what programs of the same process count. */
export class ServingMetrics {
  /** What the server itself counts. */
  readonly own = new MetricRegistry();
  readonly #sources: (() => readonly MetricRegistry[])[] = [];

  /** Shows also what others in this process count; they are asked at every scrape. */
  add(source: () => readonly MetricRegistry[]): void {
    this.#sources.push(source);
  }

  get registries(): readonly MetricRegistry[] {
    return [this.own, ...this.#sources.flatMap((source) => source())];
  }
}
