import { expect, test } from 'vitest';
import { sharedName } from './openapi-v2.ts';

function nameOf(parameter: Readonly<Record<string, unknown>>): string | undefined {
  return sharedName(parameter, JSON.stringify(parameter));
}

const deleteOptions = { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions' };
const patch = { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch' };

test('a shared parameter has the name that kube-apiserver gives it', () => {
  expect(nameOf({ name: 'body', in: 'body', schema: deleteOptions })).toBe('body-2Y1dVQaQ');
  expect(nameOf({ name: 'body', in: 'body', required: true, schema: patch })).toBe('body-78PwaGsr');
});

test('a body with its own kind, a name, dryRun and fieldValidation are not shared', () => {
  expect(nameOf({ name: 'body', in: 'body', schema: { $ref: '#/definitions/io.k8s.api.core.v1.Pod' } })).toBe(
    undefined,
  );
  expect(nameOf({ name: 'name', in: 'path' })).toBe(undefined);
  expect(nameOf({ name: 'dryRun', in: 'query' })).toBe(undefined);
  expect(nameOf({ name: 'fieldValidation', in: 'query' })).toBe(undefined);
});
