import type { OwnKind, OwnObject } from '../bootstrap/own-object.ts';
import type { Program } from './program.ts';

const POLICY = 'rbac.authorization.k8s.io';

/** The role of a program that declares what it needs, bound to its user. */
export function programRoles({ name, access }: Pick<Program, 'name' | 'access'>): readonly OwnObject[] {
  if (access === undefined) return [];
  const metadata = { name: `keelson:${name}` };
  return [
    { kind: policyKind('clusterroles'), object: { metadata, rules: access.rules } },
    {
      kind: policyKind('clusterrolebindings'),
      object: {
        metadata,
        roleRef: { apiGroup: POLICY, kind: 'ClusterRole', name: metadata.name },
        subjects: [{ apiGroup: POLICY, kind: 'User', name: access.identity.user }],
      },
    },
  ];
}

function policyKind(plural: string): OwnKind {
  return { group: POLICY, plural, root: `/apis/${POLICY}/v1` };
}
