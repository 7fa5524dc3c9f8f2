import assert from 'node:assert/strict';
import { test } from 'vitest';
import { requestTarget } from './request-target.ts';

test.each([
  ['/', '/'],
  ['/api/v1/pods?watch=1', '/api/v1/pods?watch=1'],
  ['/a%20b', '/a%20b'],
  ['/a?b=%zz', '/a?b=%zz'],
  ['https://host/a?b', '/a?b'],
  ['HTTPS://host:443', '/'],
  ['http://host?x=1', '/?x=1'],
])('%s means %s', (sent, target) => {
  assert.equal(requestTarget(sent), target);
});

test.each(['', '*', 'api', '/a%', '/a%2', '/%zz', 'ftp://host/a', 'host:443'])('%j is invalid', (sent) => {
  assert.equal(requestTarget(sent), undefined);
});
