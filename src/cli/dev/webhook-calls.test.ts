import { expect, test } from 'vitest';
import { webhookLines } from './webhook-calls.ts';

test('webhookLines shows the webhooks that a request called, and their results', () => {
  const step = { startMs: 1, durationMs: 2.5, decision: 'passed' };
  const called = {
    ...step,
    name: 'labels.acme.dev',
    decision: 'changed',
    patch: [{ op: 'add', path: '/a', value: 1 }],
  };
  const refused = { ...step, name: 'checks.acme.dev', decision: 'refused', reason: 'not here' };
  const request = {
    id: '1',
    auditId: '',
    time: '2026-01-01T12:00:00.000Z',
    method: 'POST',
    path: '/api/v1/namespaces/default/pods?dryRun=All',
    user: 'joe',
    userAgent: 'kubectl',
    code: 403,
    durationMs: 9,
    steps: [
      { ...step, name: 'authorization' },
      {
        ...step,
        name: 'admission',
        steps: [
          { ...step, name: 'MutatingAdmissionWebhook', steps: [called] },
          { ...step, name: 'ValidatingAdmissionWebhook', steps: [refused] },
        ],
      },
    ],
  };

  expect(webhookLines(request)).toEqual([
    '12:00:00.003  webhook    labels.acme.dev: changed, 1 change after 2.5 ms because of POST pods default by joe',
    '12:00:00.003  webhook    checks.acme.dev: refused after 2.5 ms because of POST pods default by joe (not here)',
  ]);
});
