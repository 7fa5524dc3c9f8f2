// What a decision about a request costs, with many roles and bindings. Writes nothing but to the screen.
//   npm run bench:access [-- ROLES]
import { startAccessServer } from '../src/access/testing/access-server.ts';
import { requestInfo, type UserInfo } from '../src/apiserver/index.ts';
import { settle } from '../src/base/index.ts';

const ROLES = Number(process.argv[2] ?? 1000);
const ROUNDS = 200_000;
const GROUP = 'rbac.authorization.k8s.io';

await using server = await startAccessServer();
const created = Array.from({ length: ROLES }, async (_, index) => {
  const namespace = ['default', 'kube-system', 'kube-public'][index % 3] ?? '';
  const rules = [
    { verbs: ['get', 'list', 'watch'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments', 'services'] },
    { verbs: ['update'], apiGroups: ['apps'], resources: ['*/scale'], resourceNames: [`d${index}`] },
  ];
  await server.create('roles', { metadata: { name: `r${index}`, namespace }, rules });
  const role = `Role r${index}`;
  await server.bind('rolebindings', `b${index}`, {
    namespace,
    role,
    subjects: [`User u${index}`, `Group g${index % 50}`],
  });
});
await Promise.all(created);
await settle();

const authenticated = 'system:authenticated';
const cases: readonly (readonly [what: string, user: UserInfo, request: string])[] = [
  ['a user by a role of a namespace', user('u0', []), 'GET /api/v1/namespaces/default/pods'],
  [
    'a member of five groups, refused',
    user('x', ['g1', 'g2', 'g3', 'g4', 'g5']),
    'DELETE /api/v1/namespaces/default/pods/p',
  ],
  ['whoever is logged in, discovery', user('x', []), 'GET /apis/apps/v1'],
  ['nobody, refused', { name: 'system:anonymous', groups: ['system:unauthenticated'] }, 'GET /api/v1/pods'],
  [
    'a controller',
    user('system:serviceaccount:kube-system:deployment-controller', []),
    'POST /apis/apps/v1/namespaces/a/replicasets',
  ],
  ['a node, its status', user('system:node:n1', ['system:nodes']), 'PATCH /api/v1/nodes/n1/status'],
];

console.log(`${ROLES} roles and as many bindings of ${GROUP}, besides those of every cluster`);
for (const [what, who, request] of cases) {
  const [method = '', path = ''] = request.split(' ');
  const asked = {
    user: who,
    info: requestInfo(method, path, { isWatch: false, nameFromField: '' }),
    signal: server.signal,
  };
  let allowed = 0;
  for (const round of [ROUNDS / 10, ROUNDS]) {
    const start = performance.now();
    for (let index = 0; index < round; index++) {
      const decision = server.authorizer.authorize(asked);
      if (decision instanceof Promise) throw new Error('Cannot measure: the authorizer waits');
      if (decision.verdict === 'allow') allowed += 1;
    }
    const microseconds = ((performance.now() - start) * 1000) / round;
    if (round === ROUNDS)
      console.log(`${microseconds.toFixed(2).padStart(8)} µs  ${what}${allowed === 0 ? '' : ', allowed'}`);
  }
}

function user(name: string, groups: readonly string[]): UserInfo {
  return { name, groups: [...groups, authenticated] };
}
