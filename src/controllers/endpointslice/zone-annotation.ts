import type { Observed, Service } from '../../client/index.ts';

/** Whether the service asks for traffic that stays in its zone, by either of the annotations. */
export function wantsZoneHints({ metadata: { annotations = {} } }: Observed<Service>): boolean {
  const mode =
    annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}
