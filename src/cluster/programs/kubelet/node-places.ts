import type { DeepReadonly } from '../../../base/index.ts';
import { type Client, ConfigMap, hasReason, type Node, type Stored } from '../../../client/index.ts';
import { defaultPlaceOf } from '../../../node/index.ts';

const NAMESPACE = 'kube-system';
const NAME = 'keelson-nodes';
/** Others write it at the same time only when they start. */
const MAX_TRIES = 50;

/** Where the nodes of a process stand among those of all processes: from it follow their addresses. */
interface Place {
  readonly first: number;
  readonly count: number;
}

/**
 * Finds a range for `count` nodes that no other process has, and records it in a ConfigMap; a process that starts again under the same
 * name gets the same range, unless it has more nodes now.
 */
export async function takePlaces(client: Client, name: string, count: number): Promise<number> {
  const maps = client.kindIn(ConfigMap, NAMESPACE);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const known = await readMap(client);
    const places = placesIn(known);
    const own = places.get(name);
    if (own !== undefined && own.count >= count) return own.first;
    places.delete(name);
    const first = freePlace([...places.values()], count);
    const data = { ...known?.data, [name]: `${first}/${count}` };
    try {
      if (known === undefined) await maps.create({ metadata: { name: NAME, namespace: NAMESPACE }, data });
      else await maps.update({ ...known, data });
      return first;
    } catch (error) {
      if (!hasReason(error, 'Conflict') && !hasReason(error, 'AlreadyExists')) throw error;
    }
  }
  throw new Error(`Cannot find a place for the nodes "${name}": ConfigMap "${NAMESPACE}/${NAME}" keeps changing`);
}

/**
 * The place of each node, from which its address and pod range follow. A node that exists keeps the range that it has. The others get the places
 * from `first` on, but none whose range another node has: pods of a node that was removed keep their addresses until they are deleted.
 */
export function placesOf(
  names: readonly string[],
  first: number,
  stored: readonly DeepReadonly<Pick<Node, 'metadata' | 'spec'>>[],
): readonly number[] {
  const placeByName = new Map<string, number>();
  for (const { metadata, spec } of stored) {
    const place = defaultPlaceOf(spec?.podCIDRs?.[0] ?? '');
    if (place !== undefined) placeByName.set(metadata?.name ?? '', place);
  }
  const taken = new Set(placeByName.values());
  let next = first + names.length;
  return names.map((name, index) => {
    const own = placeByName.get(name);
    if (own !== undefined) return own;
    let place = first + index;
    while (taken.has(place)) place = next++;
    taken.add(place);
    return place;
  });
}

async function readMap(client: Client): Promise<Stored<ConfigMap> | undefined> {
  try {
    return await client.kindIn(ConfigMap, NAMESPACE).get(NAME);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

function placesIn(map: ConfigMap | undefined): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [name, text] of Object.entries(map?.data ?? {})) {
    const [, first, count] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
    if (first !== undefined && count !== undefined) places.set(name, { first: Number(first), count: Number(count) });
  }
  return places;
}

/** The first gap that is large enough. */
function freePlace(taken: readonly Place[], count: number): number {
  let first = 0;
  for (const place of taken.toSorted((left, right) => left.first - right.first)) {
    if (first + count <= place.first) return first;
    first = Math.max(first, place.first + place.count);
  }
  return first;
}
