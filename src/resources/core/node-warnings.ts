import { cidrWarnings } from '../../api/index.ts';
import type { Node } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';

export function nodeWarnings({ spec }: Whole<Node>): string[] {
  return [
    ...(spec.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...((spec.externalID ?? '') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...(spec.podCIDRs ?? []).flatMap((cidr, index) => cidrWarnings(`spec.podCIDRs[${index}]`, cidr)),
  ];
}
