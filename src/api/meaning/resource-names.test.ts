import { expect, test } from 'vitest';
import { isExtendedResource } from './resource-names.ts';

test.each([
  ['example.com/gpu', true],
  ['cpu', false],
  ['kubernetes.io/thing', false],
  ['node.kubernetes.io/thing', false],
  ['mykubernetes.io/thing', false],
  ['requests.example.com/gpu', false],
  ['example.com/not a name', false],
])("%s is a vendor's resource: %s", (name, isExtended) => {
  expect(isExtendedResource(name)).toBe(isExtended);
});
