import { expect, test } from 'vitest';
import { podFromTemplate, podNamePrefix } from './pod-from-template.ts';

test('a pod carries the labels, annotations, finalizers and spec of the template, and names its owner', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
  const metadata = { labels: { app: 'web' }, annotations: { a: 'b' }, finalizers: ['example.com/f'] };
  const spec = { containers: [{ name: 'web', image: 'nginx' }] };
  expect(podFromTemplate({ metadata, spec }, owner, 'default')).toEqual({
    metadata: { ...metadata, generateName: 'web-', namespace: 'default', ownerReferences: [owner] },
    spec,
  });
});

test('a prefix that is too long for any pod gets no dash', () => {
  expect(podNamePrefix('web')).toBe('web-');
  expect(podNamePrefix('a'.repeat(254))).toBe('a'.repeat(254));
});
