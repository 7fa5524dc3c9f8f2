import type { ClusterOptions } from '../cluster/index.ts';
import { apiWithFaults, webhookWithFaults } from './faults/index.ts';
import type { InProcessApis } from './in-process-apis.ts';
import type { InProcessWebhooks } from './in-process-webhooks.ts';
import type { TestWire } from './test-wire.ts';

export interface WiringParts {
  /** Webhooks that the server calls without a connection. */
  readonly webhooks: InProcessWebhooks;
  /** API servers that the server calls without a connection. */
  readonly apis: InProcessApis;
  /** Sits between clients and the server. */
  readonly wire: TestWire;
  /** The test's own wrapper. */
  readonly wrapTransport: ClusterOptions['wrapTransport'] | undefined;
}

/** The cluster options that connect a test cluster with its surroundings. */
export function wiringOf({ webhooks, apis, wire, wrapTransport }: WiringParts) {
  return {
    local: {
      webhooks: (host: string) => webhookWithFaults(host, webhooks.find(host), wire.faults),
      apis: (host: string) => apiWithFaults(apis.find(host), wire.faults),
      interfere: wire.arrivals,
    },
    wrapTransport: (inner, context) => wire.wrap(wrapTransport?.(inner, context) ?? inner, context.identity),
    ...(wire.tracker === undefined ? {} : { tracker: wire.tracker }),
  } satisfies Partial<ClusterOptions>;
}
