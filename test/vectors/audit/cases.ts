import { tokenOf } from '../../../peers/index.ts';

/** One request; its name is its audit ID. */
export interface AuditCase {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A watch is left as soon as it has begun. */
  readonly isWatch?: boolean;
}

export const POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    users: [mona]
  - level: Metadata
    resources: [{ group: "", resources: [secrets, serviceaccounts/token] }, { group: authentication.k8s.io }]
    omitStages: []
  - level: Metadata
    nonResourceURLs: ["/healthz*", /version]
  - level: None
    nonResourceURLs: ["/metrics"]
  - level: Request
    resources: [{ group: "", resources: [configmaps], resourceNames: [only-request] }]
  - level: Request
    verbs: [deletecollection]
    omitManagedFields: true
  - level: RequestResponse
    namespaces: [bare]
    omitManagedFields: true
  - level: RequestResponse
    userGroups: [system:masters, devs]
    resources: [{ group: "" }, { group: networking.k8s.io }, { group: rbac.authorization.k8s.io }]
  - level: Metadata
`;

const admin = { authorization: 'Bearer peer-admin-token' };
const alice = { authorization: `Bearer ${tokenOf('alice')}` };
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const maps = '/api/v1/namespaces/audited/configmaps';
const map = (name: string, data: object = { a: '<b> & c' }) => ({ metadata: { name }, data });
const type = (name: string) => ({ ...admin, 'content-type': `application/${name}` });
const partial = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** In the order in which they are sent. */
export const cases: readonly AuditCase[] = [
  {
    name: 'namespace',
    method: 'POST',
    path: '/api/v1/namespaces',
    headers: admin,
    body: { metadata: { name: 'audited' } },
  },
  {
    name: 'namespace-bare',
    method: 'POST',
    path: '/api/v1/namespaces',
    headers: admin,
    body: { metadata: { name: 'bare' } },
  },
  { name: 'create', method: 'POST', path: maps, headers: admin, body: map('one') },
  { name: 'create-again', method: 'POST', path: maps, headers: admin, body: map('one') },
  { name: 'create-invalid', method: 'POST', path: maps, headers: admin, body: map('Not Good') },
  { name: 'create-generated', method: 'POST', path: maps, headers: admin, body: { metadata: { generateName: 'g-' } } },
  { name: 'create-syntax', method: 'POST', path: maps, headers: admin, body: '{"metadata"' },
  { name: 'create-dry', method: 'POST', path: `${maps}?dryRun=All&fieldManager=me`, headers: admin, body: map('dry') },
  { name: 'get', method: 'GET', path: `${maps}/one`, headers: admin },
  { name: 'get-missing', method: 'GET', path: `${maps}/none`, headers: admin },
  { name: 'get-table', method: 'GET', path: `${maps}/one`, headers: { ...admin, accept: table } },
  { name: 'list', method: 'GET', path: `${maps}?labelSelector=x%3Dy`, headers: admin },
  {
    name: 'list-partial',
    method: 'GET',
    path: `${maps}?fieldSelector=metadata.name%3Done`,
    headers: { ...admin, accept: partial },
  },
  { name: 'update', method: 'PUT', path: `${maps}/one`, headers: admin, body: map('one', { a: 'changed' }) },
  {
    name: 'patch-merge',
    method: 'PATCH',
    path: `${maps}/one`,
    headers: type('merge-patch+json'),
    body: { data: { b: '1' } },
  },
  {
    name: 'patch-json',
    method: 'PATCH',
    path: `${maps}/one`,
    headers: type('json-patch+json'),
    body: [{ op: 'remove', path: '/data/b' }],
  },
  {
    name: 'patch-apply',
    method: 'PATCH',
    path: `${maps}/applied?fieldManager=me`,
    headers: type('apply-patch+yaml'),
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: '1' } },
  },
  { name: 'request-only', method: 'POST', path: maps, headers: admin, body: map('only-request') },
  { name: 'request-only-get', method: 'GET', path: `${maps}/only-request`, headers: admin },
  { name: 'bare', method: 'POST', path: '/api/v1/namespaces/bare/configmaps', headers: admin, body: map('one') },
  {
    name: 'bare-list',
    method: 'GET',
    path: '/api/v1/namespaces/bare/configmaps?fieldSelector=metadata.name%3Done',
    headers: admin,
  },
  {
    name: 'pod',
    method: 'POST',
    path: '/api/v1/namespaces/audited/pods?dryRun=All',
    headers: admin,
    body: {
      metadata: { name: 'web' },
      spec: { automountServiceAccountToken: false, containers: [{ name: 'web', image: 'nginx' }] },
    },
  },
  {
    name: 'secret',
    method: 'POST',
    path: '/api/v1/namespaces/audited/secrets',
    headers: admin,
    body: { metadata: { name: 's' }, stringData: { password: 'hush' } },
  },
  {
    name: 'account',
    method: 'POST',
    path: '/api/v1/namespaces/audited/serviceaccounts',
    headers: admin,
    body: { metadata: { name: 'worker' } },
  },
  {
    name: 'token-issued',
    method: 'POST',
    path: '/api/v1/namespaces/audited/serviceaccounts/worker/token',
    headers: admin,
    body: { spec: {} },
  },
  {
    name: 'token',
    method: 'POST',
    path: '/api/v1/namespaces/audited/serviceaccounts/robot/token',
    headers: admin,
    body: { spec: {} },
  },
  {
    name: 'token-review',
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    headers: admin,
    body: { spec: { token: 'hush' } },
  },
  { name: 'forbidden', method: 'GET', path: `${maps}/one`, headers: alice },
  { name: 'forbidden-path', method: 'GET', path: '/logs', headers: alice },
  { name: 'nobody', method: 'GET', path: `${maps}/one` },
  { name: 'bad-token', method: 'GET', path: `${maps}/one`, headers: { authorization: 'Bearer made-up' } },
  { name: 'not-told', method: 'GET', path: `${maps}/one`, headers: { authorization: `Bearer ${tokenOf('mona')}` } },
  {
    name: 'impersonated',
    method: 'GET',
    path: `${maps}/one`,
    headers: { ...admin, 'impersonate-user': 'eve', 'impersonate-group': 'cats', 'impersonate-extra-tenant': 'x' },
  },
  {
    name: 'impersonation-refused',
    method: 'GET',
    path: `${maps}/one`,
    headers: { ...alice, 'impersonate-user': 'eve' },
  },
  { name: 'version', method: 'GET', path: '/version', headers: admin },
  { name: 'healthz', method: 'GET', path: '/healthz/ping?verbose=1', headers: admin },
  { name: 'metrics', method: 'GET', path: '/metrics/slis', headers: admin },
  { name: 'unknown-path', method: 'GET', path: '/nowhere', headers: admin },
  { name: 'unknown-resource', method: 'GET', path: '/api/v1/namespaces/audited/gadgets', headers: admin },
  { name: 'discovery', method: 'GET', path: '/apis/networking.k8s.io', headers: admin },
  {
    name: 'forwarded',
    method: 'GET',
    path: '/version',
    headers: { ...admin, 'x-forwarded-for': '203.0.113.7, nonsense, 2001:db8:0::1', 'x-real-ip': '203.0.113.8' },
  },
  { name: 'long-agent', method: 'GET', path: '/version', headers: { ...admin, 'user-agent': 'a'.repeat(1100) } },
  {
    name: 'deprecated',
    method: 'GET',
    path: '/apis/networking.k8s.io/v1beta1/ipaddresses?labelSelector=none%3Dhere',
    headers: admin,
  },
  { name: 'watch', method: 'GET', path: `${maps}?watch=1&timeoutSeconds=1`, headers: admin, isWatch: true },
  { name: 'watch-refused', method: 'GET', path: `${maps}?watch=1`, headers: alice, isWatch: true },
  {
    name: 'role',
    method: 'POST',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/audited/roles',
    headers: admin,
    body: { metadata: { name: 'reader' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] },
  },
  {
    name: 'binding',
    method: 'POST',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/audited/rolebindings',
    headers: admin,
    body: {
      metadata: { name: 'alice' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'alice' }],
    },
  },
  { name: 'allowed', method: 'GET', path: `${maps}/one`, headers: alice },
  {
    name: 'delete',
    method: 'DELETE',
    path: `${maps}/one`,
    headers: admin,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 },
  },
  { name: 'delete-query', method: 'DELETE', path: `${maps}/applied?propagationPolicy=Background`, headers: admin },
  { name: 'delete-all', method: 'DELETE', path: maps, headers: admin, body: { propagationPolicy: 'Orphan' } },
];
