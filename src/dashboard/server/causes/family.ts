import { hasReason } from '../../../api/client.ts';
import { type Client, ResourcePath, type ServedKind } from '../../../client/index.ts';
import type { KubernetesObject } from '../../protocol.ts';

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Kinds whose objects are looked through for children; a namespace has more only with very many custom kinds. */
const MAX_KINDS = 80;
/** Owners above an object, and generations of children below it. */
const MAX_GENERATIONS = 5;
const NOISE: ReadonlySet<string> = new Set(['events', 'leases']);

/** An object and its kind. */
export interface Member {
  readonly kind: ServedKind;
  readonly object: KubernetesObject;
}

/** The family of an object that is named by its resource; empty where there is no such object (any more). */
export async function familyAround(
  client: Client,
  asked: { readonly resource: string; readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly Member[]> {
  const [plural = '', ...group] = asked.resource.split('.');
  const kinds = await client.apis.kinds({ signal });
  const kind = kinds.find((each) => each.plural === plural && each.group === group.join('.'));
  if (kind === undefined) return [];
  const object = await readObject(client, kind, asked, signal);
  return object === undefined ? [] : familyOf(client, { kind, object }, signal);
}

/** The object, its owners up to the first, and what these own. */
export async function familyOf(client: Client, focus: Member, signal: AbortSignal): Promise<readonly Member[]> {
  const members = new Map([[uidOf(focus.object), focus]]);
  let level = [focus];
  for (let generation = 0; generation < MAX_GENERATIONS && level.length > 0; generation++) {
    const owners = level.flatMap(({ object }) => ownersOf(object).map((owner) => ({ owner, object })));
    const found = await Promise.all(owners.map(({ owner, object }) => ownerMember(client, owner, object, signal)));
    level = found.flatMap((member) => (member === undefined || members.has(uidOf(member.object)) ? [] : [member]));
    for (const member of level) members.set(uidOf(member.object), member);
  }
  const all = await objectsIn(client, focus.object.metadata?.namespace, signal);
  for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
    const children = all.filter(
      ({ object }) => !members.has(uidOf(object)) && ownersOf(object).some(({ uid }) => members.has(uid)),
    );
    if (children.length === 0) break;
    for (const child of children) members.set(uidOf(child.object), child);
  }
  return [...members.values()];
}

async function ownerMember(
  client: Client,
  owner: OwnerReference,
  child: KubernetesObject,
  signal: AbortSignal,
): Promise<Member | undefined> {
  const kind = await client.apis.find(owner.apiVersion, owner.kind, { signal });
  if (kind === undefined) return undefined;
  const namespace = kind.scope === 'Cluster' ? undefined : child.metadata?.namespace;
  const object = await readObject(client, kind, { namespace, name: owner.name }, signal);
  return object === undefined || uidOf(object) !== owner.uid ? undefined : { kind, object };
}

/** The metadata of everything in a namespace that the viewer may list. */
async function objectsIn(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Member[]> {
  if (namespace === undefined) return [];
  const kinds = (await client.apis.kinds({ signal })).filter(
    ({ scope, verbs, plural }) => scope === 'Namespaced' && verbs.includes('list') && !NOISE.has(plural),
  );
  const lists = await Promise.all(
    kinds.slice(0, MAX_KINDS).map(async (kind): Promise<readonly Member[]> => {
      try {
        const { items } = await client.kindIn(kind, namespace).metadata().list({ limit: 500, signal });
        return items.map((object) => ({ kind, object }));
      } catch {
        signal.throwIfAborted();
        return []; // the viewer may not list it
      }
    }),
  );
  return lists.flat();
}

export async function readObject(
  client: Client,
  kind: ServedKind,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    const path = new ResourcePath(kind, kind.scope === 'Cluster' ? undefined : namespace).object(name, 'read');
    return (await client.request({ method: 'GET', path, signal })) as KubernetesObject;
  } catch (error) {
    if (hasReason(error, 'NotFound') || hasReason(error, 'Forbidden')) return undefined;
    throw error;
  }
}

export function ownersOf({ metadata }: KubernetesObject): readonly OwnerReference[] {
  return (metadata?.['ownerReferences'] ?? []) as readonly OwnerReference[];
}

export function uidOf({ metadata }: KubernetesObject): string {
  return metadata?.uid ?? '';
}
