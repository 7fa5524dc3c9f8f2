import { amendPolicy, bootstrapPolicy } from '../../access/index.ts';
import type { ApiServer } from '../../apiserver/index.ts';
import type { OwnObject } from './own-object.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** The roles and bindings of every cluster; none where roles are not served. */
export function policyObjects({ registry }: ApiServer): OwnObject[] {
  if (registry.find(GROUP, 'v1', 'clusterroles') === undefined) return [];
  return bootstrapPolicy().map((policy) => ({
    kind: { group: GROUP, plural: policy.plural, root: `/apis/${GROUP}/v1` },
    object: policy.object,
    amend: (current) => amendPolicy(policy, current),
  }));
}
