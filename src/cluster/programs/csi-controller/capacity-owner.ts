// What owns the objects that say what drivers have free, so that they go with it.
import { type Client, type KubernetesObject, namespacedKind } from '../../../client/index.ts';
import type { CapacityOwner } from '../../../controllers/volume-sidecars/index.ts';

/** What the flags and the environment say about the owner. */
export type Ownership =
  | { readonly type: 'nothing' }
  | { readonly type: 'node'; readonly nodeName: string }
  /** The pod itself, or the object that many steps above it. */
  | { readonly type: 'pod'; readonly pod: string; readonly namespace: string; readonly level: number };

/** More steps are an error: owners that own each other. */
const MAX_LEVEL = 10;

/** Finds the owner; undefined for none. */
export async function capacityOwner(
  client: Client,
  ownership: Ownership,
  signal: AbortSignal,
): Promise<CapacityOwner | undefined> {
  switch (ownership.type) {
    case 'nothing':
      return undefined;
    case 'node': {
      const { metadata } = await client.core.v1.nodes.get(ownership.nodeName, { signal });
      return { apiVersion: 'v1', kind: 'Node', name: metadata.name, uid: metadata.uid };
    }
    case 'pod':
      return await above(client, ownership, signal);
    default:
      return ownership satisfies never;
  }
}

async function above(
  client: Client,
  { pod, namespace, level }: Extract<Ownership, { readonly type: 'pod' }>,
  signal: AbortSignal,
): Promise<CapacityOwner> {
  let found = { apiVersion: 'v1', kind: 'Pod', name: pod };
  for (let left = Math.min(level, MAX_LEVEL); ; left--) {
    const { apiVersion, kind, name } = found;
    const title = `${kind} ${namespace}/${name}`;
    const plural = `${kind.toLowerCase()}s`;
    const { metadata } = await client
      .kind(namespacedKind<KubernetesObject>({ apiVersion, kind, plural }))
      .namespace(namespace)
      .get(name, { signal });
    if (left === 0) return { ...found, uid: metadata.uid };
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined)
      throw new Error(`Cannot find the owner of CSIStorageCapacity objects: ${title} has no controller`);
    if (left === 1) return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid };
    found = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name };
  }
}
