import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../../api/index.ts';
import { amendPolicy } from './amend-policy.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import type { PolicyObject } from './read-policy.ts';

/** The objects that a real kube-apiserver created. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '../testdata/bootstrap-policy.json'), 'utf8'),
) as Readonly<Record<string, readonly ApiObject[]>>;

function nameOf({ metadata }: { readonly metadata: { readonly name?: string; readonly namespace?: string } }): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function one(plural: string, name: string): PolicyObject {
  const found = bootstrapPolicy().find((each) => each.plural === plural && each.object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${plural} "${name}"`);
  return found;
}

describe('the policy that every cluster begins with', () => {
  test.each(Object.keys(recorded))('has the %s of kube-apiserver, all and no others', (plural) => {
    const own = bootstrapPolicy().filter((each) => each.plural === plural);
    const sorted = own.map(({ object }) => object).toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
    const wanted = (recorded[plural] ?? []).map(({ rules, ...rest }) => (rules === null ? rest : { rules, ...rest }));
    expect(sorted).toEqual(wanted);
  });
});

describe('an object of the policy that is there', () => {
  const policy = one('clusterroles', 'system:basic-user');
  const current = policy.object as unknown as ApiObject;

  test('is left alone when nothing is missing', () => {
    expect(amendPolicy(policy, current)).toBeUndefined();
    const rules = [...(policy.object.rules ?? []), { verbs: ['*'], apiGroups: ['x'], resources: ['y'] }];
    expect(amendPolicy(policy, { ...current, rules })).toBeUndefined();
  });

  test('gets back its missing permissions, after its own', () => {
    const own = { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'] };
    expect(amendPolicy(policy, { ...current, rules: [own] })).toEqual({
      type: 'update',
      object: {
        ...current,
        rules: [
          own,
          { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectrulesreviews'] },
          { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
        ],
      },
    });
  });

  test('gets back labels and annotations, and keeps additional ones', () => {
    const metadata = { name: current.metadata.name, labels: { a: 'b' }, annotations: {} };
    const { labels, annotations } = policy.object.metadata;
    expect(amendPolicy(policy, { ...current, metadata })).toEqual({
      type: 'update',
      object: { ...current, metadata: { ...metadata, labels: { ...labels, a: 'b' }, annotations } },
    });
  });

  test('is not changed when its annotation says so', () => {
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    const metadata = { ...current.metadata, annotations };
    expect(amendPolicy(policy, { ...current, metadata, rules: [] })).toBeUndefined();
  });

  test('gets or loses its aggregation rule, as the policy says', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const amended = amendPolicy(policy, { ...current, aggregationRule });
    expect(amended).toEqual({ type: 'update', object: { ...current, aggregationRule: undefined } });
    const admin = one('clusterroles', 'admin');
    const { aggregationRule: wanted, ...rest } = admin.object;
    const selectors = [...aggregationRule.clusterRoleSelectors, ...(wanted?.clusterRoleSelectors ?? [])];
    expect(amendPolicy(admin, { ...rest, aggregationRule } as unknown as ApiObject)).toEqual({
      type: 'update',
      object: { ...rest, aggregationRule: { clusterRoleSelectors: selectors } },
    });
  });

  test('is replaced when it binds another role, and otherwise gets back its subjects', () => {
    const binding = one('clusterrolebindings', 'system:public-info-viewer');
    const bound = binding.object as unknown as ApiObject;
    const [first, second] = binding.object.subjects ?? [];
    expect(amendPolicy(binding, { ...bound, roleRef: { kind: 'ClusterRole', name: 'x' } })).toEqual({
      type: 'replace',
    });
    expect(amendPolicy(binding, { ...bound, subjects: [second] })).toEqual({
      type: 'update',
      object: { ...bound, subjects: [second, first] },
    });
  });
});
