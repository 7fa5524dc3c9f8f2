import type { DeepReadonly } from '../../base/index.ts';
import type { Node } from '../types/core/v1.d.ts';

/**
 * A text that is equal for nodes of the same zone and region, and empty for a node that has neither label. If a node has
 * the old and the new label, the old one wins.
 */
export function zoneKeyOf({ metadata }: DeepReadonly<Node>): string {
  const labels = metadata?.labels;
  const region =
    labels?.['failure-domain.beta.kubernetes.io/region'] ?? labels?.['topology.kubernetes.io/region'] ?? '';
  const zone = labels?.['failure-domain.beta.kubernetes.io/zone'] ?? labels?.['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}
