import { describe, expect, test } from 'vitest';
import { type Status, tooManyRequests, unauthorized } from '../../api/index.ts';
import { callOf, newEncoder, textOf } from './testing/answer-fixture.ts';

const deleted: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { kind: 'configmaps', name: 'd1', uid: 'u' },
  code: 200,
};

describe('a Status', () => {
  test('of a success omits code 200, and stays a Status when a table is requested', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

    const answer = newEncoder().encode({ type: 'status', status: deleted }, callOf('/', { accept }));

    expect(answer.code).toBe(200);
    expect(await textOf(answer)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"d1","kind":"configmaps","uid":"u"}}\n',
    );
  });

  test('of another success has its code', async () => {
    const answer = newEncoder().encode({ type: 'status', status: { ...deleted, code: 201 } }, callOf('/'));

    expect(await textOf(answer)).toContain('"code":201');
  });

  test('escapes HTML', async () => {
    const answer = newEncoder().encode({ type: 'status', status: unauthorized('<a>&\u2028').status }, callOf('/'));

    expect(await textOf(answer)).toContain('"message":"\\u003ca\\u003e\\u0026\\u2028"');
  });

  test('with retryAfterSeconds has a Retry-After header', () => {
    const { status } = tooManyRequests('slow down', 7);

    expect(newEncoder().encode({ type: 'status', status }, callOf('/')).headers).toEqual({
      'content-type': 'application/json',
      'retry-after': '7',
    });
  });

  test('has the warnings of the call and its own headers', () => {
    const call = callOf('/');
    call.warnings.add('first');
    call.warnings.add('second "one"');

    const headers = { 'x-content-type-options': 'nosniff' };
    expect(newEncoder().encode({ type: 'status', status: deleted, headers }, call).headers).toEqual({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      warning: ['299 - "first"', '299 - "second \\"one\\""'],
    });
  });
});
