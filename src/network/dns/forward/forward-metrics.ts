import type { MetricRegistry } from '../../../base/index.ts';
import { DURATION_BUCKETS, rcodeName } from '../metric-words.ts';
import type { ResponseCache } from './response-cache.ts';

const ZONES = '.';

/** Counts what is forwarded and kept, under the names that CoreDNS has for them. */
export class ForwardMetrics {
  readonly #families: ReturnType<typeof familiesOf>;
  readonly #labels: { readonly server: string; readonly zones: string; readonly view: string };

  constructor(registry: MetricRegistry, { cache, server }: { readonly cache: ResponseCache; readonly server: string }) {
    this.#families = registry.shared(familiesOf);
    this.#labels = { server, zones: ZONES, view: '' };
    const labels = ['server', 'type', 'zones', 'view'] as const;
    registry.callback({ name: 'coredns_cache_entries', help: 'Answers that are kept.', labels }, () => {
      const { success, denial } = cache.sizes;
      return [
        { labels: { ...this.#labels, type: 'success' }, value: success },
        { labels: { ...this.#labels, type: 'denial' }, value: denial },
      ];
    });
    registry.callback(
      { name: 'coredns_cache_evictions_total', help: 'Answers that made place for others.', labels, type: 'counter' },
      () => [{ labels: { ...this.#labels, type: 'success' }, value: cache.evictions }],
    );
  }

  /** `hit` is undefined for an answer that was not kept. */
  cacheAsked(hit: 'success' | 'denial' | undefined): void {
    this.#families.cacheRequests.with(this.#labels).add();
    if (hit === undefined) this.#families.cacheMisses.with(this.#labels).add();
    else this.#families.cacheHits.with({ ...this.#labels, type: hit }).add();
  }

  asked(upstream: string, rcode: number, tookMs: number): void {
    this.#families.requests
      .with({ proxy_name: 'forward', to: upstream, rcode: rcodeName(rcode) })
      .observe(tookMs / 1000);
  }

  rejected(): void {
    this.#families.rejects.with().add();
  }
}

function familiesOf(registry: MetricRegistry) {
  const labels = ['server', 'zones', 'view'] as const;
  return {
    cacheRequests: registry.counter({ name: 'coredns_cache_requests_total', help: 'Questions to the cache.', labels }),
    cacheHits: registry.counter({
      name: 'coredns_cache_hits_total',
      help: 'Questions that the cache has answered.',
      labels: [...labels, 'type'],
    }),
    cacheMisses: registry.counter({
      name: 'coredns_cache_misses_total',
      help: 'Questions that the cache could not answer.',
      labels,
    }),
    requests: registry.histogram({
      name: 'coredns_proxy_request_duration_seconds',
      help: 'Time that upstream servers took.',
      labels: ['proxy_name', 'to', 'rcode'],
      buckets: DURATION_BUCKETS,
    }),
    rejects: registry.counter({
      name: 'coredns_forward_max_concurrent_rejects_total',
      help: 'Questions that were refused because too many were on their way.',
    }),
  };
}
