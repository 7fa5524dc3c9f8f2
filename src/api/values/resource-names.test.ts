import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  groupVersionKindOf,
  parseGroupKind,
  parseGroupResource,
  parseGroupVersion,
} from './resource-names.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const group = fc.oneof(
  fc.constant(''),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.')),
);

test('group and version round-trip', () => {
  fc.assert(
    fc.property(group, word, (group, version) => {
      assert.deepEqual(parseGroupVersion(formatGroupVersion({ group, version })), { group, version });
    }),
  );
});

test('group and resource, group and kind round-trip', () => {
  fc.assert(
    fc.property(group, word, (group, name) => {
      assert.deepEqual(parseGroupResource(formatGroupResource({ group, resource: name })), { group, resource: name });
      assert.deepEqual(parseGroupKind(formatGroupKind({ group, kind: name })), { group, kind: name });
    }),
  );
});

test('with an invalid apiVersion, only the kind remains', () => {
  expect(groupVersionKindOf('apps/v1', 'Deployment')).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
  expect(groupVersionKindOf('a/b/c', 'Deployment')).toEqual({ group: '', version: '', kind: 'Deployment' });
});
