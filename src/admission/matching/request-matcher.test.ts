import { expect, test } from 'vitest';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { TestApi } from '../../resources/testing/test-api.ts';
import { EquivalentResources } from './equivalent-resources.ts';
import type { MatchRule } from './match-rule.ts';
import { type MatchCriteria, RequestMatcher } from './request-matcher.ts';
import { versionedAttributes } from './versioned-attributes.ts';

const rule = (resources: string, more: Partial<MatchRule> = {}): MatchRule => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: [resources],
  ...more,
});
const scaler = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    targetCPUUtilizationPercentage: 5,
  },
};
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', labels: { app: 'web' } } };
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web', labels: { team: 'a' } } };
const event = { metadata: { name: 'web', namespace: 'kinds' }, involvedObject: { namespace: 'kinds' } };
const { rules: v2, matchPolicy } = { rules: [rule('*', { apiVersions: ['v2'] })], matchPolicy: 'Equivalent' };

/** A server on which all requests are matched against criteria, and the resource as which each matched. */
async function matching(criteria: MatchCriteria) {
  const seen: string[] = [];
  let last: AdmissionAttributes | undefined;
  const api = await TestApi.open({}, ({ objects }): readonly AdmissionPlugin[] => {
    const equivalents = new EquivalentResources({
      groupNames: () => api.server.registry.groupNames(),
      resourcesOf: (group) => api.server.registry.resourcesOf(group),
      onChange: (listener) => api.server.registry.onChange(listener),
    });
    const matcher = new RequestMatcher(criteria, { equivalents, namespaces: objects.of('', 'namespaces') });
    const validate = async (attributes: AdmissionAttributes): Promise<void> => {
      if (!seen.includes('ready')) return;
      const found = await matcher.match(attributes);
      if (found !== undefined) expect(matcher.couldMatch(attributes)).toBe(true);
      if (found !== undefined) last = await versionedAttributes(attributes, found);
      seen.push(found === undefined ? 'no' : `${found.group}/${found.version}/${found.plural}`);
    };
    return [{ name: 'Matcher', validate }];
  });
  seen.push('ready');
  return { api, seen, last: () => last };
}

test.each<[string, MatchCriteria, object, string]>([
  ['a wildcard', { rules: [rule('*')] }, configMap, '/v1/configmaps'],
  ['no rules of a webhook', { rules: [] }, configMap, 'no'],
  ['no rules of a policy', { resourceRules: [] }, configMap, '/v1/configmaps'],
  ['another operation', { rules: [rule('*', { operations: ['UPDATE', 'DELETE'] })] }, configMap, 'no'],
  ['another group', { rules: [rule('configmaps', { apiGroups: ['apps'] })] }, configMap, 'no'],
  ['a subresource', { rules: [rule('configmaps/status')] }, configMap, 'no'],
  ['any subresource and the resource', { rules: [rule('configmaps/*')] }, configMap, '/v1/configmaps'],
  ['a name', { resourceRules: [rule('*', { resourceNames: ['web'] })] }, configMap, '/v1/configmaps'],
  ['another name', { resourceRules: [rule('*', { resourceNames: ['api'] })] }, configMap, 'no'],
  ['an exclusion', { resourceRules: [rule('*')], excludeResourceRules: [rule('configmaps')] }, configMap, 'no'],
  ['scope Cluster of a Namespace', { rules: [rule('*', { scope: 'Cluster' })] }, namespace, '/v1/namespaces'],
  ['scope Namespaced of a Namespace', { rules: [rule('*', { scope: 'Namespaced' })] }, namespace, 'no'],
  ['scope Cluster of a ConfigMap', { rules: [rule('*', { scope: 'Cluster' })] }, configMap, 'no'],
  ['another version, Exact', { rules: v2 }, scaler, 'no'],
  ['another version, Equivalent', { rules: v2, matchPolicy }, scaler, 'autoscaling/v2/horizontalpodautoscalers'],
  ['labels', { rules: [rule('*')], objectSelector: { matchLabels: { app: 'web' } } }, configMap, '/v1/configmaps'],
  ['other labels', { rules: [rule('*')], objectSelector: { matchLabels: { app: 'api' } } }, configMap, 'no'],
  [
    'own labels',
    { rules: [rule('*')], namespaceSelector: { matchLabels: { team: 'a' } } },
    namespace,
    '/v1/namespaces',
  ],
  ['its namespace', { rules: [rule('*')], namespaceSelector: { matchLabels: { team: 'a' } } }, configMap, 'no'],
  [
    'the name of its namespace',
    { rules: [rule('*')], namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kinds' } } },
    configMap,
    '/v1/configmaps',
  ],
])('RequestMatcher.match() of %s', async (_name, criteria, object, expected) => {
  const { api, seen } = await matching(criteria);
  await using _ = api;
  expect(await api.create(object)).toMatchObject({ code: 201 });
  expect(seen).toEqual(['ready', expected]);
});

test('an equivalent resource in another group shows the objects in its version', async () => {
  const rules = [rule('events', { apiGroups: ['events.k8s.io'] })];
  const { api, seen, last } = await matching({ rules, matchPolicy });
  await using _ = api;
  expect(await api.create({ apiVersion: 'v1', kind: 'Event', ...event })).toMatchObject({ code: 201 });
  expect(seen).toEqual(['ready', 'events.k8s.io/v1/events']);
  expect(last()?.object).toMatchObject({ apiVersion: 'events.k8s.io/v1', regarding: { namespace: 'kinds' } });
  expect(last()?.requestResource).toEqual({ group: '', version: 'v1', resource: 'events' });
});

test('cluster-scoped objects pass every namespaceSelector; old labels count as much as new ones', async () => {
  const { api, seen } = await matching({
    rules: [rule('nodes'), rule('configmaps')],
    namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'Exists' }] },
    objectSelector: { matchLabels: { app: 'web' } },
  });
  await using _ = api;
  await api.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels: { app: 'web' } } });
  await api.create(configMap);
  const path = '/api/v1/namespaces/kinds/configmaps/web';
  await api.send('PUT', path, { metadata: { name: 'web' } });
  await api.send('PUT', path, { metadata: { name: 'web' }, data: { a: 'b' } });
  expect(seen).toEqual(['ready', '/v1/nodes', '/v1/configmaps', '/v1/configmaps', 'no']);
});
