// Where a new volume has to be accessible, from the labels of nodes.
import { SELECTED_NODE } from '../../api/meaning/index.ts';
import type {
  CSINode,
  Node,
  Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { type DriverFeatures, NotReadyError, type Topology, type TopologyRequirement } from './volume-driver.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Class = Observed<StorageClass>;
type KeyRule = NonNullable<DriverFeatures['topology']>;

/** Nodes and their CSINodes. */
export interface NodePlaces {
  readonly nodes: Pick<Objects<Node>, 'get' | 'list'>;
  readonly csiNodes: Pick<Objects<CSINode>, 'get' | 'list'>;
}

export interface TopologyQuestion {
  readonly driver: string;
  /** Whether nodes count that lack some of the keys. */
  readonly rule: KeyRule;
  readonly isStrict: boolean;
  /** Whether claims that bind at once name the places of all nodes. */
  readonly isImmediate: boolean;
}

/** A place: pairs of key and value, sorted by key. */
type Term = readonly (readonly [key: string, value: string])[];

/** The places that are asked of the driver for a claim's volume; undefined for anywhere. */
export function accessibilityFor(
  claim: Claim,
  storageClass: Class,
  options: TopologyQuestion & NodePlaces,
): TopologyRequirement | undefined {
  const selected = claim.metadata.annotations?.[SELECTED_NODE];
  const { isStrict, isImmediate } = options;
  const allowed = flattened(storageClass.allowedTopologies ?? []);
  if (selected === undefined) {
    if (allowed.length === 0 && !isImmediate) return undefined;
    const requisite = unique(allowed.length > 0 ? allowed : everywhere(keysOfAny(options), options));
    if (requisite.length === 0) {
      if (options.rule === 'some-keys') return undefined;
      throw new NotReadyError('error generating accessibility requirements: no available topology found');
    }
    return requirement(requisite, spreadBy(claim.metadata.name) % requisite.length);
  }
  const own = placeOf(selected, options);
  if (own.length === 0) return undefined;
  if (isStrict) {
    if (allowed.length > 0 && !allowed.some((term) => isWithin(own, term)))
      throw new NotReadyError(
        `error generating accessibility requirements: selected node '"${selected}"' topology '${written(own)}' is not in allowed topologies: ${allowed.map(written).join(' ')}`,
      );
    return requirement([own], 0);
  }
  const requisite = unique(allowed.length > 0 ? allowed : everywhere(keysOf(selected, options), options));
  const first = requisite.findIndex((term) => isWithin(own, term));
  if (first < 0)
    throw new NotReadyError(
      `error generating accessibility requirements: topology ${written(own)} from selected node "${selected}" is not in requisite: ${requisite.map(written).join(' ')}`,
    );
  return requirement(requisite, first);
}

function requirement(terms: readonly Term[], first: number): TopologyRequirement {
  const places = terms.map((term): Topology => ({ segments: Object.fromEntries(term) }));
  return { requisite: places, preferred: [...places.slice(first), ...places.slice(0, first)] };
}

/** The place of the selected node. The scheduler must choose another if it has none. */
function placeOf(node: string, options: TopologyQuestion & NodePlaces): Term {
  if (options.csiNodes.get(node) === undefined && options.rule === 'all-keys')
    throw new NotReadyError(`failed to get selected CSINode ${node}: csinode.storage.k8s.io "${node}" not found`, {
      needsOtherNode: true,
    });
  const keys = keysOf(node, options);
  if (keys.length === 0) {
    if (options.rule === 'some-keys') return [];
    throw new NotReadyError(`error generating accessibility requirements: no topology key found for node ${node}`);
  }
  const labels = options.nodes.get(node)?.metadata.labels ?? {};
  const term = termOf(labels, keys, options.rule);
  if (term !== undefined) return term;
  const shown = Object.entries(labels)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}:${value}`);
  throw new NotReadyError(
    `error generating accessibility requirements: topology labels from selected node map[${shown.join(' ')}] does not match topology keys from CSINode [${keys.join(' ')}]`,
  );
}

function keysOf(node: string, { driver, csiNodes }: TopologyQuestion & NodePlaces): readonly string[] {
  return csiNodes.get(node)?.spec.drivers.find(({ name }) => name === driver)?.topologyKeys ?? [];
}

/** The keys of the first node that has any. */
function keysOfAny(options: TopologyQuestion & NodePlaces): readonly string[] {
  const names = options.csiNodes.list().map(({ metadata }) => metadata.name);
  return (
    names
      .toSorted()
      .map((name) => keysOf(name, options))
      .find((keys) => keys.length > 0) ?? []
  );
}

/** The places of all nodes. */
function everywhere(keys: readonly string[], { nodes, rule }: TopologyQuestion & NodePlaces): readonly Term[] {
  if (keys.length === 0) return [];
  const terms = nodes.list().flatMap(({ metadata }) => {
    const term = termOf(metadata.labels ?? {}, keys, rule);
    return term === undefined || term.length === 0 ? [] : [term];
  });
  if (terms.length === 0 && rule === 'all-keys')
    throw new NotReadyError(
      `error generating accessibility requirements: topologyKeys [${keys.join(' ')}] were not found on any nodes`,
    );
  return terms;
}

/** The place that labels name; undefined if the rule wants a key that is missing. */
function termOf(labels: Readonly<Record<string, string>>, keys: readonly string[], rule: KeyRule): Term | undefined {
  const found = keys.flatMap((key): Term => (labels[key] === undefined ? [] : [[key, labels[key]]]));
  return rule === 'all-keys' && found.length < keys.length ? undefined : sorted(found);
}

/** The places of allowed topologies: each combination of values of each term. */
function flattened(allowed: NonNullable<Class['allowedTopologies']>): readonly Term[] {
  return allowed.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions
      .reduce<readonly Term[]>(
        (terms, { key, values }) => values.flatMap((value) => terms.map((term): Term => [...term, [key, value]])),
        [[]],
      )
      .filter((term) => term.length > 0)
      .map(sorted),
  );
}

function sorted(term: Term): Term {
  return term.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function written(term: Term): string {
  return `[${term.map(([key, value]) => `{${key} ${value}}`).join(' ')}]`;
}

/** Sorted and without repetitions: shorter ones first, then by text. */
function unique(terms: readonly Term[]): readonly Term[] {
  const byText = new Map(terms.map((term) => [JSON.stringify(term), term]));
  return [...byText.entries()]
    .toSorted(([left, one], [right, two]) => one.length - two.length || (left < right ? -1 : 1))
    .map(([, term]) => term);
}

/** Whether all of the term holds at the place. */
function isWithin(place: Term, term: Term): boolean {
  return term.every(([key, value]) => place.some(([other, its]) => other === key && its === value));
}

/**
 * A number by which the volumes of a StatefulSet's replicas begin at different places, and the volumes of one replica at
 * the same: claims are named CLAIM-SET-NUMBER, and only SET and NUMBER count.
 */
function spreadBy(claim: string): number {
  const [, named, number] = /^(.*)-(\d+)$/.exec(claim) ?? [];
  if (named === undefined || number === undefined || Number(number) > 0xffff_ffff) return hash32(claim);
  return hash32(named.slice(named.lastIndexOf('-') + 1)) + Number(number);
}

/** The hash function FNV-1 of 32 bits. */
function hash32(text: string): number {
  let hash = 0x811c_9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = (Math.imul(hash, 0x0100_0193) ^ byte) >>> 0;
  return hash;
}

/** The node affinity of a volume with these topologies; undefined if it is accessible from anywhere. */
export function affinityFor(
  places: readonly Topology[],
): NonNullable<NonNullable<PersistentVolume['spec']>['nodeAffinity']> | undefined {
  const nodeSelectorTerms = places
    .filter(({ segments }) => Object.keys(segments).length > 0)
    .map(({ segments }) => ({
      matchExpressions: Object.entries(segments).map(([key, value]) => ({
        key,
        operator: 'In' as const,
        values: [value],
      })),
    }));
  return nodeSelectorTerms.length === 0 ? undefined : { required: { nodeSelectorTerms } };
}
