import { expect, test } from 'vitest';
import { containerHash } from './container-hash.ts';

test('the hash of a container is that of a kubelet', () => {
  expect(containerHash({ name: 'web', image: 'nginx' })).toBe('9690f4d');
  expect(containerHash({ name: 'c', image: 'registry.k8s.io/pause:3.10' })).toBe('c66cfb5f');
});
