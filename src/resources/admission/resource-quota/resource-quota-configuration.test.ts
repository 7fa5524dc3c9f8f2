import { expect, test } from 'vitest';
import { readResourceQuotaConfiguration } from './resource-quota-configuration.ts';

const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration' };

test('reads limited resources, also from the former kind', () => {
  const limitedResources = [
    {
      resource: 'pods',
      matchContains: ['cpu'],
      matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
    },
  ];
  const older = { apiVersion: 'resourcequota.admission.k8s.io/v1beta1', kind: 'Configuration' };
  expect(readResourceQuotaConfiguration(JSON.stringify({ ...head, limitedResources }))).toEqual({ limitedResources });
  expect(readResourceQuotaConfiguration(JSON.stringify({ ...older, limitedResources }))).toEqual({ limitedResources });
});

const wrong: readonly [value: unknown, problem: string][] = [
  [{ ...head, limitedResources: [{ apiGroup: 'apps' }] }, 'limitedResources[0].resource: Required value'],
  [{ ...head, limits: [] }, 'strict decoding error: unknown field "limits"'],
  [{ ...head, apiVersion: 'v1' }, 'no kind "ResourceQuotaConfiguration" is registered for version "v1"'],
  [null, "Object 'Kind' is missing in 'null'"],
];

test.each(wrong)('%j is refused', (value, problem) => {
  expect(() => readResourceQuotaConfiguration(JSON.stringify(value))).toThrow(problem);
});
