import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { ANONYMOUS } from '../request/principal.ts';
import { inProcessCall } from './in-process-call.ts';

const clock = new VirtualClock();

test('an in-process call looks like one that came over the network', async () => {
  const call = inProcessCall({
    method: 'POST',
    path: '/api/v1/namespaces/ns/pods?dryRun=All',
    headers: { 'Content-Type': 'application/json', 'Impersonate-Group': ['a', 'b'] },
    body: '{"ä":1}',
    clock,
  });
  assert.equal(call.request.method, 'POST');
  assert.equal(call.request.path, '/api/v1/namespaces/ns/pods');
  assert.equal(call.request.query.get('dryRun'), 'All');
  assert.equal(call.request.header('content-type'), 'application/json');
  assert.equal(call.request.header('impersonate-group'), 'a, b');
  assert.deepEqual(call.request.headers('impersonate-group'), ['a', 'b']);
  assert.equal(Buffer.from(await call.request.body(100)).toString(), '{"ä":1}');
  assert.equal(call.record.receivedAt, clock.now());
  assert.equal(call.info.verb, 'create');
  assert.equal(call.info.namespace, 'ns');
  assert.equal(call.request.certificate, undefined);
  assert.equal(call.principal.user, ANONYMOUS);
  call.record.warnings.add('careful');
  assert.deepEqual(call.record.warnings.texts, ['careful']);
});

test('its user and certificate can be set', () => {
  const user = { name: 'system:apiserver', groups: ['system:masters'] };
  const certificate = { commonName: 'alice', organizations: [] };
  const call = inProcessCall({ method: 'GET', path: '/', user, certificate, clock });
  assert.equal(call.principal.user, user);
  assert.equal(call.request.certificate, certificate);
});

test('its body has the same limit as others', async () => {
  const call = inProcessCall({ method: 'POST', path: '/', body: Buffer.alloc(11), clock });
  await assert.rejects(call.request.body(10), { message: 'Request entity too large: limit is 10', code: 413 });
  const empty = inProcessCall({ method: 'POST', path: '/', clock });
  assert.equal((await empty.request.body(10)).length, 0);
});

test('it aborts with its signal, or when its sender aborts it', () => {
  const stop = new AbortController();
  const call = inProcessCall({ method: 'GET', path: '/', signal: stop.signal, clock });
  assert.equal(call.request.signal.aborted, false);
  stop.abort(new Error('enough'));
  assert.equal(call.request.signal.reason.message, 'enough');
  const late = inProcessCall({ method: 'GET', path: '/', signal: stop.signal, clock });
  assert.equal(late.request.signal.aborted, true);
  const given = inProcessCall({ method: 'GET', path: '/', clock });
  given.abort('not wanted');
  assert.equal(given.request.signal.reason.message, 'not wanted');
});
