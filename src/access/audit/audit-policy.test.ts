import { describe, expect, test } from 'vitest';
import { requestInfo } from '../../apiserver/index.ts';
import { readAuditPolicy } from './audit-policy.ts';
import { AuditRules } from './audit-rules.ts';

const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

describe('an invalid policy is rejected with upstream’s message', () => {
  test.each([
    ['rules: []', 'loaded illegal policy with 0 rules'],
    ['rules: [{ users: [a] }]', 'rules[0].level: Required value'],
    [
      'rules: [{ level: All }]',
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      'rules: [{ level: None, omitStages: [Later] }]',
      'rules[0].omitStages[0]: Invalid value: "Later": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      'rules: [{ level: None, nonResourceURLs: [logs, /a*b] }]',
      `[rules[0].nonResourceURLs[0]: Invalid value: "logs": non-resource URL rules must begin with a '/' character, ` +
        `rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule]`,
    ],
    [
      'rules: [{ level: None, nonResourceURLs: [/a], namespaces: [b] }]',
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'rules: [{ level: None, resources: [{ resourceNames: [x] }] }]',
      'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
    ],
    [
      'rules: 7',
      'failed decoding: json: cannot unmarshal number into Go struct field Policy.rules of type []v1.PolicyRule',
    ],
  ])('%s', (text, message) => {
    expect(() => readAuditPolicy(HEAD + text)).toThrow(message);
  });

  test('it must be a Policy', () => {
    expect(() => readAuditPolicy('rules: []')).toThrow(
      'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy',
    );
    expect(() => readAuditPolicy('kind: Policy\napiVersion: audit.k8s.io/v1beta1')).toThrow(
      'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1"',
    );
  });

  test('unknown members are reported and ignored', () => {
    const { policy, problems } = readAuditPolicy(`${HEAD}rules: [{ level: None, user: [a] }]\nrule: []`);
    expect(problems).toBe('unknown field "rule", unknown field "rules[0].user"');
    expect(policy.rules).toHaveLength(1);
  });

  test('a null entry of a list is an empty entry, as in Go', () => {
    expect(() => readAuditPolicy(`${HEAD}rules: [null]`)).toThrow('rules[0].level: Required value');
  });
});

function levelOf(rules: string, method: string, path: string, user = { name: 'ada', groups: ['dev'] }): string {
  const { policy } = readAuditPolicy(`${HEAD}rules: [${rules}, { level: RequestResponse }]`);
  const info = requestInfo(method, path, { isWatch: false, nameFromField: '' });
  return new AuditRules(policy).verdictOn({ user, info }).level;
}

test.each([
  ['{ level: None, users: [bob] }', 'GET', '/version', false],
  ['{ level: None, userGroups: [x, dev] }', 'GET', '/version', true],
  ['{ level: None, verbs: [get] }', 'GET', '/api/v1/pods/a', true],
  ['{ level: None, nonResourceURLs: ["/healthz*"] }', 'GET', '/healthz/ping', true],
  ['{ level: None, nonResourceURLs: ["*"] }', 'GET', '/api/v1/pods', false],
  ['{ level: None, namespaces: [""] }', 'GET', '/api/v1/nodes', true],
  ['{ level: None, namespaces: [a] }', 'GET', '/version', false],
  ['{ level: None, resources: [{ resources: [pods] }] }', 'GET', '/api/v1/namespaces/a/pods/b/log', false],
  ['{ level: None, resources: [{ resources: [pods/log] }] }', 'GET', '/api/v1/namespaces/a/pods/b/log', true],
  ['{ level: None, resources: [{ resources: ["*/log"] }] }', 'GET', '/api/v1/namespaces/a/pods/b/log', true],
  ['{ level: None, resources: [{ resources: ["pods/*"] }] }', 'GET', '/api/v1/namespaces/a/pods/b', true],
  ['{ level: None, resources: [{ group: "*", resources: ["*"] }] }', 'GET', '/apis/apps/v1/deployments', true],
  [
    '{ level: None, resources: [{ resources: [pods], resourceNames: [x] }] }',
    'GET',
    '/api/v1/namespaces/a/pods/b',
    false,
  ],
])('%s and %s %s', (rule, method, path, fits) => {
  expect(levelOf(rule, method, path)).toBe(fits ? 'None' : 'RequestResponse');
});

test('looks at each rule once per request, however many names the rules have', () => {
  const users = Array.from({ length: 100 }, (_unused, index) => `"user-${index}"`).join(',');
  const rule = `{ level: None, users: [${users}] }`;
  const { policy } = readAuditPolicy(`${HEAD}rules: [${rule}, { level: Metadata }]`);
  const [first, last] = policy.rules;
  if (first === undefined || last === undefined) throw new Error('two rules were read');
  const many = new AuditRules({ ...policy, rules: [...Array.from({ length: 10_000 }, () => first), last] });
  const info = requestInfo('GET', '/version', { isWatch: false, nameFromField: '' });
  expect(many.verdictOn({ user: { name: 'ada', groups: [] }, info }).level).toBe('Metadata');
});
