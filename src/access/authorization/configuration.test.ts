import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inProcessCall } from '../../apiserver/index.ts';
import { caBundle, HookServer } from '../../apiserver/webhook/testing/hook-server.ts';
import { VirtualClock } from '../../base/index.ts';
import { type AccessServer, startAccessServer } from '../testing/access-server.ts';
import { readAuthorizationConfiguration, readAuthorizationFile } from './read-configuration.ts';

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n';

/** The messages of a real kube-apiserver 1.36 for the same files. */
describe('an AuthorizationConfiguration is refused, as upstream refuses it, that', () => {
  test.each<[string, string, string]>([
    ['is empty', '', 'authorizers: Required value: at least one authorization mode must be defined'],
    [
      'is something else',
      'apiVersion: v1\nkind: Pod',
      'failed to load AuthorizationConfiguration from file: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'has no kind',
      'authorizers: []\n',
      "failed to load AuthorizationConfiguration from file: Object 'Kind' is missing in 'authorizers: []\n'",
    ],
    [
      'has an unknown field',
      `${HEAD}authorizers: [{type: RBAC, name: rbac, bar: 2}]`,
      'failed to load AuthorizationConfiguration from file: strict decoding error: unknown field "authorizers[0].bar"',
    ],
    [
      'has wrong types and names',
      `${HEAD}authorizers: [{type: X, name: rbac}, {type: '', name: a}, {type: RBAC, name: rbac}, {type: RBAC, name: rbac}, {type: Node, name: rbac}]`,
      '[authorizers[0].type: Unsupported value: "X": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook", ' +
        'authorizers[1].type: Required value, authorizers[3].type: Duplicate value: "RBAC", authorizers[4].name: Duplicate value: "rbac"]',
    ],
    [
      'names what has its name already',
      `${HEAD}authorizers: [{type: RBAC, name: foo}, {type: Node, name: nod}]`,
      '[expected name rbac for authorizer RBAC instead of foo, expected name node for authorizer Node instead of nod]',
    ],
    [
      'has webhooks that are wrong',
      `${HEAD}authorizers: [{type: Webhook, name: a}, {type: RBAC, name: rbac, webhook: {timeout: 3s}}, {type: Webhook, name: b, webhook: {timeout: 31s, authorizedTTL: -1s, unauthorizedTTL: -1m, subjectAccessReviewVersion: v2, matchConditionSubjectAccessReviewVersion: v1beta1, failurePolicy: Allow, connectionInfo: {type: X}, matchConditions: [{expression: ''}, {expression: 'request.user'}, {expression: 'request.user'}]}}]`,
      '[authorizers[0].webhook: Required value: required when type=Webhook, ' +
        'authorizers[1].webhook: Invalid value: "non-null": may only be specified when type=Webhook, ' +
        'authorizers[2].timeout: Invalid value: "31s": must be > 0s and <= 30s, ' +
        'authorizers[2].authorizedTTL: Invalid value: "-1s": must be > 0s, ' +
        'authorizers[2].unauthorizedTTL: Invalid value: "-1m0s": must be > 0s, ' +
        'authorizers[2].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1", ' +
        'authorizers[2].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1", ' +
        'authorizers[2].failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny", ' +
        'authorizers[2].connectionInfo.type: Unsupported value: {"Type":"X","KubeConfigFile":null}: supported values: "InClusterConfig", "KubeConfigFile", ' +
        'authorizers[2].matchConditions[0].expression: Required value, ' +
        'authorizers[2].matchConditions[1].expression: Invalid value: "request.user": must evaluate to bool but got string, ' +
        'authorizers[2].matchConditions[2].expression: Duplicate value: "request.user"]',
    ],
    [
      'says too little of a webhook',
      `${HEAD}authorizers: [{type: Webhook, name: b, webhook: {connectionInfo: {type: KubeConfigFile}, matchConditions: [{expression: 'true'}]}}, {type: Webhook, name: f, webhook: {timeout: 1s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: KubeConfigFile, kubeConfigFile: a/b}}}]`,
      '[authorizers[0].timeout: Required value, authorizers[0].subjectAccessReviewVersion: Required value, ' +
        'authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified, ' +
        'authorizers[0].failurePolicy: Required value, authorizers[0].connectionInfo.kubeConfigFile: Required value, ' +
        'authorizers[1].connectionInfo.kubeConfigFile: Invalid value: "a/b": must be an absolute path]',
    ],
  ])('%s', (_name, text, message) => {
    expect(() => readAuthorizationConfiguration(text)).toThrow(expect.objectContaining({ message }));
  });

  test('has too many conditions', () => {
    const expressions = Array.from({ length: 65 }, (_, index) => `{expression: "request.user == '${index}'"}`);
    const text = `${HEAD}authorizers: [{type: Webhook, name: b, webhook: {matchConditions: [${expressions.join(', ')}]}}]`;
    expect(() => readAuthorizationConfiguration(text)).toThrow(
      'authorizers[0].matchConditions: Too many: 65: must have at most 64 items',
    );
  });
});

describe('a chain from a file', () => {
  const ADA = { name: 'ada', groups: ['dev'] };
  const clock = new VirtualClock();
  let folder: string;
  let file: string;
  let hook: HookServer;
  let server: AccessServer;
  let asked: string[];
  let answer: object;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-authorization-config-'));
    file = join(folder, 'config.yaml');
    asked = [];
    hook = await HookServer.start((body, response, { url = '' }) => {
      const { spec } = JSON.parse(body) as { readonly spec: { readonly user: string } };
      asked.push(`${url.split('?')[0]} ${spec.user}`);
      response.end(JSON.stringify({ status: answer }));
    });
    for (const name of ['a', 'b']) {
      const server = `https://localhost:${hook.port}/${name}`;
      const text = `{clusters: [{name: h, cluster: {server: "${server}", certificate-authority-data: ${caBundle}}}], contexts: [{name: it, context: {cluster: h}}], current-context: it}`;
      await writeFile(join(folder, `${name}.yaml`), text);
    }
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await hook[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const webhook = (name: string, policy: string, ...conditions: readonly string[]): string =>
    `{type: Webhook, name: ${name}, webhook: {timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: ${policy}, ` +
    `connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${join(folder, name)}.yaml}, cacheAuthorizedRequests: false, cacheUnauthorizedRequests: false, ` +
    `matchConditionSubjectAccessReviewVersion: v1, matchConditions: ${JSON.stringify(conditions.map((expression) => ({ expression })))}}}`;
  const write = (...authorizers: readonly string[]): Promise<void> =>
    writeFile(file, `${HEAD}authorizers: [${authorizers.join(', ')}]`);
  const start = async (): Promise<void> => {
    server = await startAccessServer({
      clock,
      access: { authorization: { configuration: readAuthorizationFile(file) } },
    });
  };
  const metrics = async (): Promise<string> => {
    const certificate = { commonName: 'admin', organizations: ['system:masters'] };
    const found = await server.plane.server.answer(
      inProcessCall({ method: 'GET', path: '/metrics', certificate, clock }),
    );
    return found.type === 'bytes'
      ? String(found.body)
          .split('\n')
          .filter((line) => line.includes('_authorization_'))
          .join('\n')
      : '';
  };
  const list = 'GET /api/v1/pods';

  test('asks the webhooks whose conditions hold, in order', async () => {
    await write(
      webhook(
        'a',
        'NoOpinion',
        "request.user != 'bob'",
        "has(request.resourceAttributes) && request.resourceAttributes.resource == 'pods'",
      ),
      '{type: RBAC, name: rbac}',
      webhook(
        'b',
        'NoOpinion',
        "'dev' in request.groups",
        "request.?resourceAttributes.verb.orValue('') in ['list', 'watch']",
      ),
    );
    answer = { allowed: false };
    await start();
    expect(await server.send(ADA, list)).toMatch(/^403 /);
    await server.send({ name: 'bob', groups: ['dev'] }, list);
    await server.send({ name: 'eve', groups: [] }, list);
    expect(await server.send(ADA, 'GET /version')).toMatchObject({ major: '1' });
    expect(asked).toEqual(['/a ada', '/b ada', '/b bob', '/a eve']);
    const text = await metrics();
    expect(text).toContain('apiserver_authorization_match_condition_exclusions_total{name="a",type="Webhook"} 2');
    expect(text).toContain('apiserver_authorization_match_condition_evaluation_seconds_count{name="a",type="Webhook"}');
  });

  test('applies the failure policy when conditions fail or exceed their cost limit', async () => {
    const items = '[1,2,3,4,5,6,7,8,9,10]';
    const bomb = `${items}.all(a, ${items}.all(b, ${items}.all(c, ${items}.all(d, ${items}.all(e, ${items}.all(f, ${items}.all(g, request.user != string(g))))))))`;
    await write(
      webhook('a', 'NoOpinion', bomb),
      webhook('b', 'Deny', "request.extra['x'][0] == 'y'"),
      '{type: RBAC, name: rbac}',
    );
    await start();
    expect(await server.send(ADA, 'GET /version')).toMatch(
      /expression 'request.extra\['x'\]\[0\] == 'y'' resulted in error: no such key: x/,
    );
    expect(asked).toEqual([]);
    expect(await metrics()).toContain(
      'apiserver_authorization_match_condition_evaluation_errors_total{name="a",type="Webhook"} 1',
    );
  });

  test('is reloaded when the file changes; an invalid file, or one without a required authorizer, changes nothing', async () => {
    await write(webhook('a', 'Deny'), '{type: RBAC, name: rbac}');
    answer = { allowed: true };
    await start();
    expect(await server.send(ADA, list)).toMatchObject({ kind: 'PodList' });
    for (const wrong of ['{', HEAD, `${HEAD}authorizers: [{type: AlwaysAllow, name: alwaysallow}]`]) {
      await writeFile(file, wrong);
      await reread();
      expect(await server.send({ name: 'eve', groups: [] }, list)).toMatchObject({ kind: 'PodList' });
    }
    expect(await metrics()).toMatch(
      /automatic_reloads_total\{apiserver_id_hash="sha256:[0-9a-f]{64}",status="failure"\} 3/,
    );
    asked.length = 0;
    await write(webhook('b', 'Deny'), '{type: RBAC, name: rbac}');
    await reread();
    expect(await server.send(ADA, list)).toMatchObject({ kind: 'PodList' });
    expect(asked).toEqual(['/b ada']);
    expect(await metrics()).toMatch(
      /automatic_reloads_total\{apiserver_id_hash="sha256:[0-9a-f]{64}",status="success"\} 1/,
    );
    await write(webhook('b', 'Deny'), '{type: Node, name: node}', '{type: RBAC, name: rbac}');
    await reread();
    expect(await metrics()).toMatch(/status="failure".* 4/);
  });

  /** Files are polled every five seconds, and read in real time. */
  async function reread(): Promise<void> {
    const before = await reloads();
    await clock.advance('5s');
    while ((await reloads()) === before) await new Promise((resolve) => setImmediate(resolve));
  }

  async function reloads(): Promise<string> {
    return (await metrics())
      .split('\n')
      .filter((line) => line.includes('automatic_reloads_total'))
      .join();
  }
});
