// Records the roles and bindings that a real kube-apiserver makes for itself, into src/access/rbac/testdata.
//   node scripts/run.mjs test/vectors/bootstrap-policy/record.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKube } from '../../../peers/index.ts';
import { identityOf, Target } from '../../differential/target.ts';

interface Listed {
  readonly items: readonly {
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly [field: string]: unknown;
  }[];
}

const PLURALS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
const file = join(import.meta.dirname, '../../../src/access/rbac/testdata/bootstrap-policy.json');

await using kube = await startKube();
using target = new Target(identityOf(kube.kubeconfig));
const recorded: Record<string, unknown> = {};
for (const plural of PLURALS) recorded[plural] = (await list(plural)).items.map(withoutSystemFields);
writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`);

async function list(plural: string): Promise<Listed> {
  const path = `/apis/rbac.authorization.k8s.io/v1/${plural}`;
  const headers = { Accept: 'application/json' };
  const reply = await target.send({
    method: 'GET',
    path,
    headers,
    body: undefined,
    isAnonymous: false,
    events: undefined,
  });
  return JSON.parse(reply.body.toString('utf8')) as Listed;
}

function withoutSystemFields({ metadata, ...rest }: Listed['items'][number]): object {
  const { name, namespace, labels, annotations } = metadata;
  return { metadata: { name, namespace, labels, annotations }, ...rest };
}
