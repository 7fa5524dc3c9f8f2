import { decodeOwners } from './decode-owners.ts';
import { encodeOwners } from './encode-owners.ts';
import { difference } from './field-set-algebra.ts';
import { fieldSet } from './field-set.ts';
import { apiVersionOf } from './owned-kind.ts';
import { type ManagedFieldsEntry, type Owner, withSet } from './owners.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** Where `spec.replicas` of a Scale is in the objects it is a picture of. */
export interface ScaledKind {
  readonly group: string;
  readonly version: string;
  /** By apiVersion; undefined where the version has no scale. Owners of other versions are dropped. */
  readonly replicasPath: (apiVersion: string) => readonly string[] | undefined;
}

type Entries = ManagedFieldsEntry[] | undefined;

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS = ['spec', 'replicas'];

/** Who owns the replicas of an object, as `metadata.managedFields` of its Scale. */
export function ownersOfScale(parent: Entries, scaled: ScaledKind): Entries {
  const owners = new Map<string, Owner>();
  for (const [id, owner] of decodeOwners(parent)) {
    const path = scaled.replicasPath(owner.apiVersion);
    if (path === undefined || !owner.set.has(pathOf(path))) continue;
    owners.set(id, { ...withSet(owner, fieldSet(pathOf(REPLICAS))), apiVersion: SCALE_VERSION });
  }
  return encodeOwners(owners);
}

/** `metadata.managedFields` of the object after its Scale has been written. */
export function ownersFromScale(parent: Entries, scale: Entries, scaled: ScaledKind): Entries {
  const before = decodeOwners(parent);
  const scaleOwners = new Map(decodeOwners(scale));
  const owners = new Map<string, Owner>();
  for (const [id, owner] of before) {
    const path = scaled.replicasPath(owner.apiVersion);
    if (path === undefined) continue;
    const elements = pathOf(path);
    if (!owner.set.has(elements) || scaleOwners.delete(id)) {
      owners.set(id, owner);
      continue;
    }
    const left = difference(owner.set, fieldSet(elements));
    if (!left.isEmpty) owners.set(id, withSet(owner, left));
  }
  const apiVersion = apiVersionOf(scaled);
  const own = pathOf(scaled.replicasPath(apiVersion) ?? REPLICAS);
  for (const [id, owner] of scaleOwners) {
    if (!owner.set.has(pathOf(REPLICAS))) continue;
    owners.set(id, { ...withSet(owner, fieldSet(own)), apiVersion, time: before.get(id)?.time });
  }
  return encodeOwners(owners);
}

function pathOf(names: readonly string[]): PathElement[] {
  return names.map(fieldElement);
}
