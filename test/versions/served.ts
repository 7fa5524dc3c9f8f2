// npm run versions:served -- VERSION: holds what our server of a version answers at /api, /apis and /openapi against a kube-apiserver of that
// version, both with the APIs that they serve by default.
import { startKube, whyNoKube } from '../../peers/index.ts';
import { ADDED_VERSIONS, parseRuntimeConfig } from '../../src/api/index.ts';
import { isKubernetesVersion } from '../../src/base/index.ts';
import { startTestCluster } from '../support/test-cluster.ts';
import { identityOf, Target } from '../differential/target.ts';
import { type ApiDocuments, differences, outlineOf, type ResourceList } from './outline.ts';

const [version = ''] = process.argv.slice(2);
if (!isKubernetesVersion(version)) throw new Error(`Cannot compare with Kubernetes "${version}"`);
const reason = whyNoKube([], { version });
if (reason !== undefined) {
  console.log(`versions:served: skipped, ${reason}`);
  process.exit(0);
}
await using kube = await startKube({ version });
using real = new Target(identityOf(kube.kubeconfig));
await using cluster = await startTestCluster({
  kubernetesVersion: version,
  admission: { disable: [] },
  runtimeConfig: parseRuntimeConfig(...ADDED_VERSIONS.map((added) => `${added}=false`)),
});
const { server, client } = cluster.plane.access;
using own = new Target({ server, certificate: client.certificate, key: client.privateKey });
const found = differences(outlineOf(await documentsOf(own), {}), outlineOf(await documentsOf(real), {}));
for (const { section, name, ours = 'none', theirs = 'none' } of found)
  console.log(`${section} ${name}: ours ${ours}, theirs ${theirs}`);
console.log(`Kubernetes ${version}, as served by default: ${found.length} differences`);
process.exitCode = found.length === 0 ? 0 : 1;

interface Groups {
  readonly groups: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
}

async function documentsOf(target: Target): Promise<ApiDocuments> {
  const read = async <T>(path: string): Promise<T> => {
    const headers = { accept: 'application/json' };
    const reply = await target.send({
      method: 'GET',
      path,
      headers,
      body: undefined,
      isAnonymous: false,
      events: undefined,
    });
    if (reply.status !== 200) throw new Error(`Cannot read ${path}: status ${reply.status}`);
    return JSON.parse(reply.body.toString()) as T;
  };
  const { groups } = await read<Groups>('/apis');
  const { paths } = await read<{ readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> }>(
    '/openapi/v3',
  );
  const lists = groups.flatMap(({ name, versions }) => versions.map((each) => `/apis/${name}/${each.version}`));
  return {
    v2: await read('/openapi/v2'),
    v3: await Promise.all(
      Object.entries(paths)
        .filter(([path]) => !path.startsWith('logs'))
        .map(([, { serverRelativeURL }]) => read<Readonly<Record<string, unknown>>>(serverRelativeURL)),
    ),
    lists: await Promise.all(['/api/v1', ...lists].map((path) => read<ResourceList>(path))),
    groups: groups.map(({ name, versions }) => [name, ...versions.map((each) => each.version)].join(' ')),
    values: {},
  };
}
