import { describe, expect, test } from 'vitest';
import { AbacAuthorizer, readAbacPolicies } from './abac-authorizer.ts';
import { requestInfo, type UserInfo } from '../apiserver/index.ts';
import { authorizationOf } from './modes.ts';
import { authorizationParts, startAccessServer } from './testing/access-server.ts';

const { signal } = new AbortController();
const ADA: UserInfo = { name: 'ada', groups: ['devs', 'system:authenticated'] };

function asked(authorizer: AbacAuthorizer, user: UserInfo, request: string): string {
  const [method = '', path = ''] = request.split(' ');
  const info = requestInfo(method, path, { isWatch: false, nameFromField: '' });
  return authorizer.authorize({ user, info, signal }).verdict;
}

function abac(...lines: readonly string[]): AbacAuthorizer {
  return new AbacAuthorizer(readAbacPolicies({ path: 'p', text: lines.join('\n') }));
}

const policy = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });

describe('ABAC', () => {
  test('allows what a line grants to a user', () => {
    const authorizer = abac(
      '# comment',
      '',
      policy({ user: 'ada', namespace: 'a', resource: 'pods', apiGroup: '', readonly: true }),
      policy({ group: 'devs', nonResourcePath: '/logs/*' }),
    );
    expect(asked(authorizer, ADA, 'GET /api/v1/namespaces/a/pods')).toBe('allow');
    expect(asked(authorizer, ADA, 'POST /api/v1/namespaces/a/pods')).toBe('noOpinion');
    expect(asked(authorizer, ADA, 'GET /api/v1/namespaces/b/pods')).toBe('noOpinion');
    expect(asked(authorizer, ADA, 'GET /apis/apps/v1/namespaces/a/pods')).toBe('noOpinion');
    expect(asked(authorizer, ADA, 'GET /logs/x')).toBe('allow');
    expect(asked(authorizer, { name: 'bob', groups: [] }, 'GET /logs/x')).toBe('noOpinion');
    expect(authorizer.rulesFor(ADA, 'a')).toEqual({
      resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [],
      isIncomplete: false,
    });
  });

  test('treats a star as all authenticated users, and omitted fields of unversioned lines as everything', () => {
    const allUsers = abac(policy({ user: '*', namespace: '*', resource: '*', apiGroup: '*' }));
    expect(asked(allUsers, ADA, 'DELETE /api/v1/nodes/n')).toBe('allow');
    expect(asked(allUsers, { name: 'x', groups: ['system:unauthenticated'] }, 'GET /api/v1/nodes')).toBe('noOpinion');
    const old = abac('{"user":"ada"}');
    expect(asked(old, ADA, 'DELETE /api/v1/nodes/n')).toBe('allow');
    expect(asked(old, ADA, 'GET /anything')).toBe('allow');
    expect(asked(old, { name: 'bob', groups: [] }, 'GET /anything')).toBe('noOpinion');
  });

  test.each(['{', '[]', '1', '{"kind":"Policy"}', '{"user":1}', '{"apiVersion":"v1","kind":"Policy"}'])(
    'refuses the line %s, and says where it is',
    (line) => {
      expect(() => abac('# first', line)).toThrow(`error reading policy file p, line 2: ${line}: `);
    },
  );
});

describe('modes', () => {
  test('are asked in order, after the rule for system:masters', async () => {
    await using server = await startAccessServer({ access: { authorization: { modes: ['AlwaysDeny'] } } });
    expect(await server.send(ADA, 'GET /api/v1/pods')).toBe(
      '403 pods is forbidden: User "ada" cannot list resource "pods" in API group "" at the cluster scope: ' +
        'Everything is forbidden.',
    );
    expect(await server.send({ name: 'root', groups: ['system:masters'] }, 'GET /api/v1/pods')).toMatchObject({});
  });

  test('allow everything in AlwaysAllow, regardless of roles, and say so in reviews', async () => {
    await using server = await startAccessServer({ access: { authorization: { modes: ['AlwaysAllow'] } } });
    expect(await server.send(ADA, 'GET /api/v1/pods')).toMatchObject({ kind: 'PodList' });
    const review = 'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    expect(await server.send(ADA, review, { spec: { namespace: 'default' } })).toMatchObject({
      status: { resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], incomplete: false },
    });
  });

  test('list the rules of roles, and mark a node’s listing as incomplete', async () => {
    await using server = await startAccessServer();
    const rules = await server.authorizer.rulesFor(ADA, 'default');
    expect(rules.isIncomplete).toBe(false);
    expect(rules.resourceRules).toContainEqual({
      verbs: ['create'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['selfsubjectreviews'],
    });
    const more = [{ authorize: () => ({ verdict: 'noOpinion' as const, reason: '' }) }];
    const extended = await authorizationOf({}, { ...authorizationParts(server.plane), more }).rulesFor(ADA, 'default');
    expect(extended).toMatchObject({
      isIncomplete: true,
      problem: 'an authorizer does not support user rule resolution',
    });
    const node = await server.authorizer.rulesFor({ name: 'system:node:n', groups: ['system:nodes'] }, 'default');
    expect(node).toMatchObject({
      isIncomplete: true,
      problem: 'node authorizer does not support user rule resolution',
    });
  });
});
