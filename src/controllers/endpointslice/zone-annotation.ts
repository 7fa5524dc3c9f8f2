import type { Observed, Service } from '../../client/index.ts';

/** Whether either annotation enables topology-aware routing for the service. */
export function wantsZoneHints({ metadata: { annotations = {} } }: Observed<Service>): boolean {
  const mode =
    annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}
