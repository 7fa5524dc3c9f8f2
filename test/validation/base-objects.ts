import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { builtInTypes, type ResourceInfo } from '../../src/api/index.ts';
import { inBetas } from './beta-objects.ts';
import type { Members } from './edits.ts';

/** A valid object that cases damage. */
export interface BaseObject {
  /** Unique: the object's name, or its kind and number where it has none. */
  readonly id: string;
  readonly kind: string;
  readonly resource: ResourceInfo;
  /** The namespace of its own that it is created in; undefined for kinds without namespaces. */
  readonly namespace: string | undefined;
  readonly object: Members;
}

const folder = join(import.meta.dirname, 'bases');

export function loadBaseObjects(): readonly BaseObject[] {
  const resources = builtInTypes().resources();
  const ids = new Set<string>();
  return readdirSync(folder)
    .sort()
    .flatMap((file) => loadAll(readFileSync(join(folder, file), 'utf8')) as Members[])
    .flatMap((object) => [object, ...inBetas(object, resources)])
    .map((object) => {
      const base = described(object, resources);
      let { id } = base;
      for (let number = 2; ids.has(id); number += 1) id = `${base.id}-${number}`;
      ids.add(id);
      return { ...base, id, namespace: base.resource.namespaced ? `base-${id}` : undefined };
    });
}

function described(object: Members, resources: readonly ResourceInfo[]): Omit<BaseObject, 'namespace'> {
  const kind = String(object['kind']);
  const resource = resources.find(
    (info) => info.kind === kind && apiVersionOf(info) === object['apiVersion'] && info.verbs.includes('create'),
  );
  if (resource === undefined) throw new Error(`Cannot find the resource of ${JSON.stringify(object).slice(0, 100)}`);
  const { name, generateName } = (object['metadata'] ?? {}) as { name?: string; generateName?: string };
  return { id: name ?? generateName?.replace(/-$/, '') ?? kind.toLowerCase(), kind, resource, object };
}

function apiVersionOf({ group, version }: ResourceInfo): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path of the collection that a base object belongs to. */
export function collectionPath({ resource, namespace }: BaseObject): string {
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${root}/${resource.version}${scope}/${resource.plural}`;
}
