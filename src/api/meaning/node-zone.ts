import type { DeepReadonly } from '../../base/index.ts';
import type { Node } from '../types/core/v1.d.ts';

/**
 * A text that is equal for nodes of the same zone of the same region, and empty for a node that names neither.
 * Where a node carries the old label and the new one, the old one counts.
 */
export function zoneKeyOf({ metadata }: DeepReadonly<Node>): string {
  const labels = metadata?.labels;
  const region =
    labels?.['failure-domain.beta.kubernetes.io/region'] ?? labels?.['topology.kubernetes.io/region'] ?? '';
  const zone = labels?.['failure-domain.beta.kubernetes.io/zone'] ?? labels?.['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}
