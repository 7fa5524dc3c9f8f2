import { type Duration, millisecondsOf, RealClock } from '../../base/index.ts';
import { type KubernetesObject, mergePatch, type ResourceClient, StatusError } from '../../client/index.ts';
import { applyManifests, type Manifest } from '../../client/manifests/index.ts';
import type { TestCluster } from '../../testing/index.ts';

/** The field manager of what users do. */
const USER = 'explore-user';
const WAIT: Duration = '30s';
const LOOK_MS = 20;

/** What to wait for. */
export interface WaitWish {
  /** `TYPE` or `TYPE=STATUS`. */
  readonly condition: string | undefined;
  readonly isDeleted: boolean;
  readonly timeout: string | undefined;
}

/** Applies objects, definitions of kinds and namespaces first. */
export async function applied(manifests: readonly Manifest[], cluster: TestCluster): Promise<void> {
  const { client } = cluster;
  await applyManifests(manifests, { client, fieldManager: USER, settle: () => cluster.settle() });
}

/** Deletes objects, the last one first. */
export async function deleted(objects: readonly (Manifest | string)[], cluster: TestCluster): Promise<void> {
  for (const each of [...objects].reverse()) {
    const name = typeof each === 'string' ? each : nameOf(each);
    const { resource, own } = await objectNamed(name, cluster);
    await resource.delete(own).catch(unlessMissing);
  }
}

export async function changed(name: string, merge: object, cluster: TestCluster): Promise<void> {
  const { resource, own } = await objectNamed(name, cluster);
  await resource.patch(own, mergePatch(merge), { fieldManager: USER });
}

/** Waits in real time until an object is there, has a condition, or is gone. */
export async function waited(name: string, wish: WaitWish, cluster: TestCluster): Promise<void> {
  const { resource, own } = await objectNamed(name, cluster);
  const clock = new RealClock();
  const endMs = clock.monotonic() + millisecondsOf((wish.timeout ?? WAIT) as Duration);
  for (;;) {
    const object = await resource.get(own).catch(unlessMissing);
    if (isAsWished(object, wish)) return;
    if (clock.monotonic() >= endMs) throw new Error(`Cannot wait for "${name}" any longer: ${stateWords(object)}`);
    await clock.sleep(LOOK_MS);
  }
}

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

function isAsWished(object: KubernetesObject | undefined, { condition, isDeleted }: WaitWish): boolean {
  if (isDeleted || object === undefined) return isDeleted && object === undefined;
  if (condition === undefined) return true;
  const [type, status = 'True'] = condition.split('=');
  const { conditions = [] } = (object as WithConditions).status ?? {};
  return conditions.some((each) => each.type === type && each.status === status);
}

function stateWords(object: KubernetesObject | undefined): string {
  if (object === undefined) return 'it does not exist';
  const { conditions = [] } = (object as WithConditions).status ?? {};
  return `its conditions are ${conditions.map(({ type, status }) => `${type}=${status}`).join(', ') || 'unset'}`;
}

function nameOf({ object: { apiVersion, kind, metadata } }: Manifest): string {
  const { namespace, name = '' } = metadata ?? {};
  return `${apiVersion} ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

interface NamedObject {
  readonly resource: ResourceClient<KubernetesObject>;
  readonly own: string;
}

/** The object of `API-VERSION KIND [NAMESPACE/]NAME`; without a namespace, one of `default` or of none. */
async function objectNamed(name: string, { client }: TestCluster): Promise<NamedObject> {
  const [apiVersion = '', kind = '', key = ''] = name.split(' ');
  const served = await client.apis.find(apiVersion, kind);
  if (served === undefined) throw new Error(`Cannot find "${name}": the server does not serve its kind`);
  const [own = '', namespace = 'default'] = key.split('/').reverse();
  return { resource: client.kindIn<KubernetesObject>(served, namespace), own };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.code === 404) return undefined;
  throw error;
}
