import { deepEqual } from '../../src/base/index.ts';
import { type Client, dropManagedFields, keyOf, type KubernetesObject } from '../../src/client/index.ts';
import type { App } from '../../src/kit/index.ts';
import { AREA_PREFIX, type SoakArea } from './areas/index.ts';
import type { SoakUser } from './user.ts';

/** What is wrong with a cluster that has come to rest; nothing is how it should be. */
export async function problemsOf(
  client: Client,
  { user, areas }: { readonly user: SoakUser; readonly areas: readonly SoakArea[] },
  apps: readonly App[],
): Promise<string[]> {
  const ofAreas = await Promise.all(areas.map((area) => area.problems()));
  return [
    ...ofAreas.flat(),
    ...(await wrongDeployments(client, user)),
    ...(await danglingObjects(client)),
    ...(await leftNamespaces(client, user)),
    ...(await staleCaches(client, apps)),
  ];
}

async function wrongDeployments(client: Client, user: SoakUser): Promise<string[]> {
  const problems: string[] = [];
  const deployments = (await client.apps.v1.deployments.list()).items.filter(isOfUser);
  const found = new Map(deployments.map((each) => [keyOf(each), each]));
  for (const key of found.keys()) if (!user.deployments.has(key)) problems.push(`deployment ${key} should be gone`);
  for (const [key, replicas] of user.deployments) {
    const deployment = found.get(key);
    const { readyReplicas = 0, replicas: all = 0, updatedReplicas = 0 } = deployment?.status ?? {};
    if (deployment === undefined) problems.push(`deployment ${key} is missing`);
    else if (readyReplicas !== replicas || all !== replicas || updatedReplicas !== replicas)
      problems.push(
        `deployment ${key} has ${all} replicas, ${readyReplicas} ready, ${updatedReplicas} new, not ${replicas}`,
      );
  }
  const pods = (await client.core.v1.pods.list()).items.filter(isOfUser);
  const wanted = [...user.deployments.values()].reduce((sum, count) => sum + count, 0);
  if (pods.length !== wanted) problems.push(`there are ${pods.length} pods, not ${wanted}`);
  for (const pod of pods)
    if (pod.status?.phase !== 'Running') problems.push(`pod ${keyOf(pod)} is ${pod.status?.phase}`);
  return problems;
}

/** Areas look after their own. */
function isOfUser({ metadata }: { readonly metadata: { readonly namespace?: string } }): boolean {
  return metadata.namespace?.startsWith(AREA_PREFIX) !== true;
}

/** Objects whose owners are all gone. */
async function danglingObjects(client: Client): Promise<string[]> {
  const { pods, endpoints, nodes, services } = client.core.v1;
  const { deployments, replicasets, statefulsets, daemonsets, controllerrevisions } = client.apps.v1;
  const { jobs, cronjobs } = client.batch.v1;
  const lists = await Promise.all([
    pods.list(),
    endpoints.list(),
    nodes.list(),
    services.list(),
    deployments.list(),
    replicasets.list(),
    statefulsets.list(),
    daemonsets.list(),
    controllerrevisions.list(),
    jobs.list(),
    cronjobs.list(),
    client.core.v1.persistentvolumeclaims.list(),
    client.resource.v1.resourceclaims.list(),
    client.discovery.v1.endpointslices.list(),
  ]);
  const all = lists.flatMap(
    ({ items }) => items as readonly { metadata: KubernetesObject['metadata'] & {}; kind: string }[],
  );
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  return all
    .filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0)
    .filter(({ metadata }) => !metadata.ownerReferences?.some(({ uid }) => uids.has(uid)))
    .map((object) => `${object.kind} ${keyOf(object)} has no owner any more`);
}

async function leftNamespaces(client: Client, user: SoakUser): Promise<string[]> {
  const names = (await client.core.v1.namespaces.list()).items.map(({ metadata }) => metadata.name);
  const expected = new Set([...user.namespaces, 'kube-system', 'kube-public', 'kube-node-lease']);
  return names
    .filter((name) => !expected.has(name) && !name.startsWith(AREA_PREFIX))
    .map((name) => `namespace ${name} should be gone`);
}

/** Caches that are not equal to what the server has. */
async function staleCaches(client: Client, apps: readonly App[]): Promise<string[]> {
  const problems: string[] = [];
  for (const app of apps) {
    for (const { kind, cache } of app.caches()) {
      const server = new Map((await client.kind(kind).list()).items.map((object) => [keyOf(object), object]));
      for (const key of cache.keys()) if (!server.has(key)) problems.push(`${app.name} still sees ${kind.kind} ${key}`);
      for (const [key, object] of server) {
        if (!deepEqual(cache.get(key), dropManagedFields(object)))
          problems.push(`${app.name} sees another ${kind.kind} ${key}`);
      }
    }
  }
  return problems;
}
