import { expect, test } from 'vitest';
import type { AdmissionAttributes, ServerObjects } from '../../apiserver/index.ts';
import { HookIndex } from './hook-index.ts';

/** An index over a store whose configurations have not been read yet. */
function loading(isServed: boolean): HookIndex {
  const index = { isComplete: false, completed: () => new Promise<void>(() => undefined), get: () => [] };
  return new HookIndex({
    objects: { of: () => ({ index: () => index }) } as unknown as ServerObjects,
    isServed: () => isServed,
    plural: 'mutatingwebhookconfigurations',
  } as unknown as ConstructorParameters<typeof HookIndex>[0]);
}

const request = { name: 'web', resource: { group: '', plural: 'configmaps' } };

test('a request that ends before the configurations are known is refused', async () => {
  const leaving = new AbortController();
  const attributes = { ...request, signal: leaving.signal } as unknown as AdmissionAttributes;
  const hooks = loading(true).hooksFor(attributes);
  leaving.abort();
  await expect(hooks).rejects.toThrow('configmaps "web" is forbidden: not yet ready to handle request');
});

test('where configurations are not served, there are no webhooks', () => {
  expect(loading(false).hooksFor(request as unknown as AdmissionAttributes)).toEqual([]);
});
