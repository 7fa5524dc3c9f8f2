import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SubjectAccessReviewSpec } from '../../api/types/authorization/v1.d.ts';
import { inProcessCall } from '../../apiserver/index.ts';
import { type Answer, caBundle, HookServer } from '../../apiserver/webhook/testing/hook-server.ts';
import { settle, VirtualClock } from '../../base/index.ts';
import type { ControlPlaneOptions } from '../../cluster/index.ts';
import { readWebhookKubeconfig } from '../review-webhook/webhook-kubeconfig.ts';
import { type AccessServer, startAccessServer } from '../testing/access-server.ts';

interface Asked {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: SubjectAccessReviewSpec;
  readonly status: unknown;
}

const ADA = { name: 'ada', groups: ['dev'] };
let folder: string;
let hook: HookServer;
let server: AccessServer;
let asked: Asked[];
let answer: (review: Asked, response: Parameters<Answer>[1]) => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-authorization-webhook-'));
  asked = [];
  hook = await HookServer.start((body, response) => {
    const review = JSON.parse(body) as Asked;
    asked.push(review);
    answer(review, response);
  });
  await writeFile(join(folder, 'hook.yaml'), kubeconfig(hook.port));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function kubeconfig(port: number): string {
  return `
clusters: [{name: hook, cluster: {server: "https://localhost:${port}/authorize", certificate-authority-data: ${caBundle}}}]
contexts: [{name: it, context: {cluster: hook}}]
current-context: it
`;
}

async function start(more: object = {}, options: Partial<ControlPlaneOptions> = {}): Promise<void> {
  const webhook = { webhook: readWebhookKubeconfig(join(folder, 'hook.yaml')), ...more };
  server = await startAccessServer({ access: { authorization: { modes: ['Webhook', 'RBAC'], webhook } }, ...options });
}

function reply(status: unknown, code = 200): typeof answer {
  return ({ apiVersion, kind }, response) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion, kind, status }));
  };
}

async function metrics(): Promise<string> {
  const certificate = { commonName: 'admin', organizations: ['system:masters'] };
  const call = inProcessCall({ method: 'GET', path: '/metrics', certificate, clock: new VirtualClock() });
  const found = await server.plane.server.answer(call);
  return found.type === 'bytes'
    ? String(found.body)
        .split('\n')
        .filter((line) => line.includes('_authorization_'))
        .join('\n')
    : '';
}

const FORBIDDEN = '403 pods is forbidden: User "ada" cannot list resource "pods" in API group "" at the cluster scope';

describe('an authorization webhook', () => {
  test('gets the attributes of a request, including selectors', async () => {
    answer = reply({ allowed: true });
    await start({ version: 'v1' });
    const path =
      '/api/v1/namespaces/a/pods?fieldSelector=spec.nodeName%3Dn,status.phase!%3DFailed&labelSelector=app,tier+in+(b,a)';
    expect(await server.send(ADA, `GET ${path}`)).toMatchObject({ kind: 'PodList' });
    const key = 'app';
    expect(asked).toEqual([
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: {
          resourceAttributes: {
            namespace: 'a',
            verb: 'list',
            version: 'v1',
            resource: 'pods',
            fieldSelector: {
              requirements: [
                { key: 'spec.nodeName', operator: 'In', values: ['n'] },
                { key: 'status.phase', operator: 'NotIn', values: ['Failed'] },
              ],
            },
            labelSelector: {
              requirements: [
                { key, operator: 'Exists' },
                { key: 'tier', operator: 'In', values: ['a', 'b'] },
              ],
            },
          },
          user: 'ada',
          groups: ['dev', 'system:authenticated'],
        },
        status: { allowed: false },
      },
    ]);
  });

  test('gets v1beta1 reviews by default, for paths as well', async () => {
    answer = reply({ allowed: false });
    await start();
    expect(await server.send(ADA, 'GET /nowhere')).toBe('403 forbidden: User "ada" cannot get path "/nowhere"');
    expect(asked).toMatchObject([
      {
        apiVersion: 'authorization.k8s.io/v1beta1',
        spec: {
          nonResourceAttributes: { path: '/nowhere', verb: 'get' },
          user: 'ada',
          group: ['dev', 'system:authenticated'],
        },
      },
    ]);
  });

  test('is not asked about system:masters', async () => {
    answer = reply({ denied: true, allowed: false });
    await start();
    expect(await server.send({ name: 'root', groups: ['system:masters'] }, 'GET /api/v1/pods')).toMatchObject({});
    expect(asked).toEqual([]);
  });

  test('denies a request before later authorizers are asked, with its reason', async () => {
    answer = reply({ allowed: false, denied: true, reason: 'not on a <Sunday>' });
    await start();
    expect(await server.send(ADA, 'GET /api/v1/pods')).toBe(`${FORBIDDEN}: not on a <Sunday>`);
    const review = 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect(await server.send(ADA, review, { spec: {} })).toMatch(/^403 /);
  });

  test('that has no opinion leaves the decision to the next authorizer', async () => {
    answer = reply({ allowed: false, reason: 'ask the roles' });
    await start();
    expect(await server.send(ADA, 'GET /version')).toMatchObject({ major: '1' });
    expect(await server.send(ADA, 'GET /api/v1/pods')).toBe(`${FORBIDDEN}: ask the roles`);
  });

  test('is asked again when its cached answer expires: after five minutes for yes, 30 seconds for no', async () => {
    const clock = new VirtualClock();
    answer = reply({ allowed: true });
    await start({}, { clock });
    for (let i = 0; i < 3; i++) await server.send(ADA, 'GET /api/v1/pods');
    expect(asked).toHaveLength(1);
    await clock.advance('299s');
    await server.send(ADA, 'GET /api/v1/pods');
    expect(asked).toHaveLength(1);
    await clock.advance('1s');
    answer = reply({ allowed: false });
    for (let i = 0; i < 3; i++) expect(await server.send(ADA, 'GET /api/v1/pods')).toBe(FORBIDDEN);
    expect(asked).toHaveLength(2);
    await clock.advance('30s');
    await server.send(ADA, 'GET /api/v1/pods');
    expect(asked).toHaveLength(3);
    expect(await metrics()).toContain(
      'apiserver_authorization_webhook_evaluations_total{name="default",result="success"} 3',
    );
    expect(await metrics()).toContain(
      'apiserver_authorization_decisions_total{decision="allowed",name="default",type="Webhook"} 4',
    );
  });
});

describe('an authorization webhook that', () => {
  const url = (): string => `https://localhost:${hook.port}/authorize?timeout=30s`;

  test('is dead is skipped; a request that no other authorizer allows is then an error, not a refusal', async () => {
    await start();
    await hook.close();
    expect(await server.send(ADA, 'GET /version')).toMatchObject({ major: '1' });
    expect(await server.send(ADA, 'GET /api/v1/pods?limit=5')).toMatch(
      new RegExp(
        `^500 .*Internal Server Error: "/api/v1/pods\\?limit=5": Post "${url().replace('?', '\\?')}": dial tcp .*: connect: connection refused`,
      ),
    );
    const review = 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews';
    const spec = { user: 'ada', resourceAttributes: { verb: 'list', resource: 'pods', version: 'v1' } };
    expect(await server.send({ name: 'root', groups: ['system:masters'] }, review, { spec })).toMatchObject({
      status: { allowed: false, evaluationError: expect.stringContaining('connection refused') as string },
    });
    expect(await metrics()).toContain(
      'apiserver_authorization_webhook_evaluations_fail_open_total{name="default",result="error"}',
    );
  });

  test.each<[string, typeof answer, RegExp]>([
    ['says yes and no at once', reply({ allowed: true, denied: true }), /returned both allow and deny response/],
    [
      'answers with another kind',
      (_, response) => response.end('{"apiVersion":"v1","kind":"Pod"}'),
      /^500 .*Internal Server Error/,
    ],
    ['answers with nonsense', (_, response) => response.end('yes!'), /^500 .*Internal Server Error/],
    ['answers with a lie about types', reply({ allowed: 'yes' }), /^500 .*Internal Server Error/],
    ['answers with too much', (_, response) => response.end(Buffer.alloc(2_000_000, ' ')), /more than 1048576 bytes/],
    ['refuses us', reply({}, 403), /^500 .*Internal Server Error/],
  ])('%s allows nothing', async (_name, answers, error) => {
    answer = answers;
    await start();
    expect(await server.send(ADA, 'GET /api/v1/pods')).toMatch(error);
  });

  test('never answers is abandoned after 30 seconds', async () => {
    const clock = new VirtualClock();
    answer = () => undefined;
    await start({}, { clock });
    const sent = server.send(ADA, 'GET /api/v1/pods');
    while (asked.length === 0) await settle();
    await clock.advance('30s');
    expect(await sent).toMatch(/context deadline exceeded/);
    expect(await metrics()).toContain('{name="default",result="timeout"} 1');
  });
});
