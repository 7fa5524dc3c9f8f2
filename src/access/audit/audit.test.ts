import { expect, test } from 'vitest';
import { inProcessCall } from '../../apiserver/index.ts';
import { TestPlane } from '../testing/test-plane.ts';
import type { AuditEvent } from './audit-event.ts';
import { readAuditPolicy } from './audit-policy.ts';
import type { AuditSink } from './audit-sink.ts';

const { policy } = readAuditPolicy(
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: RequestResponse, users: [kubernetes-admin] }]',
);

/** Keeps events, except those for which `refuses` returns true. */
function memory(refuses: (event: AuditEvent) => boolean = () => false): AuditSink & { readonly events: AuditEvent[] } {
  const events: AuditEvent[] = [];
  return {
    events,
    async write(written) {
      events.push(...written);
      return !written.some(refuses);
    },
    async [Symbol.asyncDispose]() {},
  };
}

const MAPS = '/api/v1/namespaces/default/configmaps';

test('in strict mode, a request whose event cannot be written is rejected before it has any effect', async () => {
  const sink = memory(({ requestURI, stage }) => stage === 'RequestReceived' && requestURI === MAPS);
  await using plane = await TestPlane.start({ access: { audit: { policy, sinks: [sink] } } });
  const call = inProcessCall({
    method: 'POST',
    path: MAPS,
    body: '{"metadata":{"name":"a"}}',
    clock: plane.clock,
    certificate: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
  });
  const { code, body } = await plane.plane.server.handle(call);
  expect(code).toBe(500);
  expect(String(body)).toBe(`Internal Server Error: "${MAPS}": failed to store audit event\n`);
  expect(await plane.admin('GET', `${MAPS}/a`)).toMatchObject({ code: 404 });
});

test('a sink whose promise rejects loses its events, and nothing else', async () => {
  const sink: AuditSink = {
    write: ([event]) => {
      if (event?.stage === 'RequestReceived') throw new Error('at once');
      return Promise.reject(new Error('later'));
    },
    async [Symbol.asyncDispose]() {},
  };
  const quiet = { ...policy, omitStages: [] };
  await using plane = await TestPlane.start({ access: { audit: { policy: quiet, sinks: [sink] } } });
  const call = inProcessCall({
    method: 'GET',
    path: '/version',
    clock: plane.clock,
    certificate: { commonName: 'ada', organizations: [] },
  });
  expect((await plane.plane.server.handle(call)).code).toBe(200); // not audited
  const answer = await plane.plane.server.handle(
    inProcessCall({
      method: 'GET',
      path: '/version',
      clock: plane.clock,
      certificate: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
    }),
  );
  expect(answer.code).toBe(500); // sinks are strict by default: a lost event fails the request
});

test('an object that exceeds the size limit is left out of its event, and the event says so', async () => {
  const sink = memory();
  await using plane = await TestPlane.start({
    access: {
      audit: {
        policy,
        log: {
          format: 'json',
          to: (line) => sink.events.push(JSON.parse(line) as AuditEvent),
          delivery: { mode: 'blocking' },
          truncate: { maxEventBytes: 100_000, maxBatchBytes: 100_000 },
        },
      },
    },
  });
  await plane.admin('POST', MAPS, { metadata: { name: 'huge' }, data: { a: 'x'.repeat(900_000) } });
  const last = sink.events.at(-1);
  expect(last).toMatchObject({ stage: 'ResponseComplete', annotations: { 'audit.k8s.io/truncated': 'true' } });
  expect(last).not.toHaveProperty('requestObject');
  expect(last).not.toHaveProperty('responseObject');
});

test('patches of webhooks are recorded only at level Request and above, their decisions always', async () => {
  const sink = memory();
  await using plane = await TestPlane.start({
    access: { audit: { policy, sinks: [sink] } },
    admission: {
      plugins: [
        {
          name: 'Notes',
          handles: () => true,
          mutate: (attributes) => {
            attributes.annotate('acme.dev/always', '1');
            attributes.annotate('acme.dev/patch', '2', 'Request');
          },
        },
      ],
    },
  });
  await plane.admin('POST', MAPS, { metadata: { name: 'a' } });
  expect(sink.events.at(-1)?.annotations).toEqual({
    'acme.dev/always': '1',
    'acme.dev/patch': '2',
    'authorization.k8s.io/decision': 'allow',
    'authorization.k8s.io/reason': '',
  });
});

test('prints one line for each request that came over the network', async () => {
  const lines: string[] = [];
  await using plane = await TestPlane.start({
    tracing: { printRequest: (line) => lines.push(line) },
    serving: { listen: { host: '127.0.0.1', port: 0 } },
    access: { anonymousAuth: true },
  });
  await plane.admin('POST', MAPS, { metadata: { name: 'a' } });
  expect(lines).toEqual([]);
  const { Agent, request } = await import('node:https');
  const agent = new Agent({ rejectUnauthorized: false });
  await new Promise((resolve) => {
    request(new URL(`${MAPS}/a%0Ab`, plane.plane.url), { agent }, (answer) => answer.resume().on('end', resolve)).end();
  });
  agent.destroy();
  await expect.poll(() => lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^403 get configmaps default\/a\?b by system:anonymous \(\d+ ms\)$/);
});
