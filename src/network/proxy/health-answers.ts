import type { Clock, MetricRegistry } from '../../base/index.ts';
import type { ServiceProxyState } from '../services/index.ts';
import { proxyMetrics } from './proxy-metrics.ts';
import type { ProxyAnswer } from './proxy-server.ts';

export interface HealthSources {
  /** Undefined until the proxy is prepared. */
  state(): Pick<ServiceProxyState, 'health' | 'node'> | undefined;
  readonly metrics: MetricRegistry;
  readonly clock: Pick<Clock, 'now'>;
}

/** `/healthz`, which load balancers ask, and `/livez`, which says nothing about the node. */
export function healthAnswer(path: string, { state, metrics, clock }: HealthSources): ProxyAnswer | undefined {
  if (path !== '/healthz' && path !== '/livez') return undefined;
  const { health, node } = state() ?? {};
  const report = health?.report();
  const isNodeAsked = path === '/healthz';
  const nodeEligible = node?.isEligible ?? false;
  const isHealthy = (report?.isHealthy ?? true) && (!isNodeAsked || nodeEligible);
  const status = isHealthy ? 200 : 503;
  const figures = proxyMetrics(metrics);
  (isNodeAsked ? figures.healthz : figures.livez).with({ code: `${status}` }).add();
  const nowMs = clock.now();
  const text = JSON.stringify({
    // Of a healthy proxy it is the time of the request: clients expect it to be recent.
    lastUpdated: timeText(isHealthy ? nowMs : (report?.lastUpdatedMs ?? 0)),
    currentTime: timeText(nowMs),
    ...(isNodeAsked ? { nodeEligible } : {}),
    healthy: report?.isHealthy ?? true,
    status: Object.fromEntries(
      [...(report?.families ?? [])].map(([family, { lastUpdatedMs, isHealthy: healthy }]) => [
        family,
        { lastUpdated: timeText(lastUpdatedMs), healthy },
      ]),
    ),
  });
  return { status, contentType: 'application/json', text };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
