import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, caBundle, HookServer } from '../../apiserver/webhook/testing/hook-server.ts';
import { LineLogger, RealClock } from '../../base/index.ts';
import { readWebhookKubeconfig } from '../review-webhook/webhook-kubeconfig.ts';
import { TestPlane } from '../testing/test-plane.ts';
import type { TokenWebhookSettings } from './authentication.ts';

interface Asked {
  readonly apiVersion: string;
  readonly spec: { readonly token: string; readonly audiences: readonly string[] };
}

let folder: string;
let hook: HookServer;
let plane: TestPlane;
let asked: Asked[];
let authorizations: (string | undefined)[];
let answer: (review: Asked, response: Parameters<Answer>[1]) => void;
const lines: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-token-webhook-'));
  asked = [];
  authorizations = [];
  lines.length = 0;
  hook = await HookServer.start((body, response, request) => {
    const review = JSON.parse(body) as Asked;
    asked.push(review);
    authorizations.push(request.headers.authorization);
    answer(review, response);
  });
  await start();
});
afterEach(async () => {
  await plane[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function start(more: Partial<TokenWebhookSettings> = {}): Promise<void> {
  const path = join(folder, 'webhook.yaml');
  await writeFile(path, kubeconfig());
  const clock = new RealClock();
  plane = await TestPlane.start({
    access: { authentication: { tokenWebhook: { webhook: readWebhookKubeconfig(path), ...more } } },
    log: new LineLogger({ clock, level: 'debug', write: (line) => lines.push(line) }),
  });
}

function kubeconfig(): string {
  return `
clusters: [{name: hook, cluster: {server: "https://localhost:${hook.port}/review", certificate-authority-data: ${caBundle}}}]
users: [{name: me, user: {token: secret-of-ours}}]
contexts: [{name: it, context: {cluster: hook, user: me}}]
current-context: it
`;
}

function reply(status: object, code = 200): typeof answer {
  return (review, response) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'TokenReview', status }));
  };
}

const bearer = { headers: { authorization: 'Bearer of-ada' } };
const user = { username: 'ada', uid: '7', groups: ['dev'], extra: { 'acme.io/a': ['b'] } };
const ISSUER = 'https://kubernetes.default.svc.cluster.local';

describe('a token webhook', () => {
  test('is asked who the bearer is, with our credential, once per two minutes', async () => {
    answer = reply({ authenticated: true, user });
    const ada = { ...user, groups: ['dev', 'system:authenticated'] };
    expect(await plane.whoami(bearer)).toEqual(ada);
    expect(await plane.whoami(bearer)).toEqual(ada);
    expect(asked).toMatchObject([
      { apiVersion: 'authentication.k8s.io/v1beta1', spec: { token: 'of-ada', audiences: [ISSUER] } },
    ]);
    expect(authorizations).toEqual(['Bearer secret-of-ours']);
    await plane.clock.advance('2m');
    answer = reply({ authenticated: false });
    expect(await plane.whoami(bearer)).toMatchObject({ code: 401 });
    expect(await plane.whoami(bearer)).toMatchObject({ code: 401 });
    expect(asked).toHaveLength(2);
  });

  test('is asked once for many simultaneous requests, and in v1 when configured', async () => {
    await plane[Symbol.asyncDispose]();
    await start({ version: 'v1', cacheTtl: 0 });
    answer = reply({ authenticated: true, user });
    const users = await Promise.all(Array.from({ length: 20 }, () => plane.whoami(bearer)));
    expect(users.every((found) => (found as { readonly username?: string }).username === 'ada')).toBe(true);
    expect(asked).toMatchObject([{ apiVersion: 'authentication.k8s.io/v1' }]);
    await plane.whoami(bearer);
    expect(asked).toHaveLength(2);
  });

  test('is not asked about tokens that the server recognizes itself', async () => {
    answer = reply({ authenticated: true, user });
    await plane.admin('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const { body } = await plane.admin('POST', path, { spec: {} });
    const authorization = `Bearer ${(body['status'] as { readonly token: string }).token}`;
    expect(await plane.whoami({ headers: { authorization } })).toMatchObject({
      username: 'system:serviceaccount:default:robot',
    });
    expect(asked).toEqual([]);
  });

  test('returns the audiences of a token', async () => {
    answer = reply({ authenticated: true, user, audiences: ['vault'] });
    expect(await plane.whoami(bearer)).toMatchObject({ code: 401 });
    expect(await plane.review('of-ada', ['other', 'vault'])).toMatchObject({ audiences: ['vault'] });
  });
});

describe('a token webhook that', () => {
  /** The token is refused, only the log has the reason, and the webhook is asked again at the next request. */
  async function failsWith(expected: RegExp): Promise<void> {
    expect(await plane.whoami(bearer)).toEqual(expect.objectContaining({ code: 401, message: 'Unauthorized' }));
    const status = (await plane.review('of-ada')) as { readonly error: string };
    expect(status.error).toMatch(expected);
    expect(JSON.stringify([lines, status])).not.toMatch(/of-ada|secret-of-ours/);
  }

  test('cannot be reached', async () => {
    await hook.close();
    await failsWith(/connection refused/);
  });

  test('rejects the token with a reason that quotes it', async () => {
    answer = reply({ authenticated: false, error: 'of-ada is too old' });
    await failsWith(/^\[invalid bearer token, <token> is too old\]$/);
    expect(asked).toHaveLength(2);
  });

  test('answers with another kind of object', async () => {
    answer = (_review, response) => response.end('<html>of-ada</html>');
    await failsWith(/./);
  });

  test('answers without end', async () => {
    answer = (_review, response) => void response.end('x'.repeat(3_000_000));
    await failsWith(/more than 1048576 bytes/);
  });

  test('answers with an error', async () => {
    answer = reply({}, 403);
    await failsWith(/./);
  });

  test('names no user', async () => {
    answer = reply({ authenticated: true, user: {} });
    await failsWith(/names no user/);
  });

  test('never answers is abandoned after 30 seconds', async () => {
    answer = () => undefined;
    const left = plane.whoami(bearer);
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await plane.clock.advance('30s');
    expect(await left).toMatchObject({ code: 401 });
    expect(lines.join()).toContain('context deadline exceeded');
  });
});

test.each([
  ['no YAML', '{', /it is not YAML/],
  ['no context', 'clusters: []', /it names no context/],
  ['no such cluster', 'contexts: [{name: a, context: {cluster: b}}]\ncurrent-context: a', /there is no cluster "b"/],
  [
    'another protocol',
    'clusters: [{name: b, cluster: {server: "ftp://x"}}]\ncontexts: [{name: a, context: {cluster: b}}]\ncurrent-context: a',
    /not an http or https URL/,
  ],
  [
    'a missing file',
    'clusters: [{name: b, cluster: {server: "https://x", certificate-authority: nope.crt}}]\ncontexts: [{name: a, context: {cluster: b}}]\ncurrent-context: a',
    /cannot read "nope.crt"/,
  ],
])('a file with %s names no webhook', async (_what, text, message) => {
  const path = join(folder, 'bad.yaml');
  await writeFile(path, text);
  expect(() => readWebhookKubeconfig(path)).toThrow(message);
});
