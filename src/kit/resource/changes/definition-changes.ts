import type { CustomResourceDefinitionVersion } from '../../../api/types/apiextensions/v1.d.ts';
import { deepEqual, type DeepReadonly } from '../../../base/index.ts';
import type { Definition } from '../resource-options.ts';
import type { Structural } from '../schema-words.ts';
import type { Change } from './change.ts';
import { schemaChanges } from './schema-changes.ts';

type Version = DeepReadonly<CustomResourceDefinitionVersion>;

/**
 * The differences between two definitions of a kind, and which of them break stored objects or clients.
 *
 * `old` may come from a cluster with its status: its `storedVersions` then count as stored.
 */
export function definitionChanges(old: DeepReadonly<Definition>, next: DeepReadonly<Definition>): readonly Change[] {
  return [...identityChanges(old, next), ...nameChanges(old, next), ...versionChanges(old, next)];
}

function* identityChanges(old: DeepReadonly<Definition>, next: DeepReadonly<Definition>): Generator<Change> {
  const facts = ({ spec }: DeepReadonly<Definition>) => ({
    group: spec.group,
    plural: spec.names.plural,
    kind: spec.names.kind,
    scope: spec.scope,
  });
  const [before, after] = [facts(old), facts(next)];
  for (const path of Object.keys(before) as (keyof typeof before)[]) {
    if (before[path] === after[path]) continue;
    const message = `was ${before[path]}, is ${after[path]}: stored objects are no longer found`;
    yield { path, effect: 'breaks', message };
  }
}

function* nameChanges(old: DeepReadonly<Definition>, next: DeepReadonly<Definition>): Generator<Change> {
  for (const path of ['singular', 'listKind', 'shortNames', 'categories'] as const) {
    const [before, after] = [old.spec.names[path] ?? [], next.spec.names[path] ?? []];
    if (!deepEqual(before, after))
      yield {
        path: `names.${path}`,
        effect: 'notice',
        message: `was ${JSON.stringify(before)}, is ${JSON.stringify(after)}`,
      };
  }
}

function* versionChanges(old: DeepReadonly<Definition>, next: DeepReadonly<Definition>): Generator<Change> {
  const stored = new Set(old.status?.storedVersions ?? old.spec.versions.filter(isStorage).map(({ name }) => name));
  const versions = new Map(next.spec.versions.map((version) => [version.name, version]));
  for (const version of old.spec.versions) {
    const { name } = version;
    const other = versions.get(name);
    if (other !== undefined) yield* oneVersion(version, other);
    else if (stored.has(name)) yield { path: name, effect: 'breaks', message: 'is gone, and objects are stored in it' };
    else yield { path: name, effect: version.served ? 'breaks' : 'notice', message: 'is gone' };
  }
  for (const { name } of next.spec.versions)
    if (!old.spec.versions.some((version) => version.name === name))
      yield { path: name, effect: 'notice', message: 'is new' };
  yield* storageChanges(old, next);
}

function isStorage({ storage }: Version): boolean {
  return storage;
}

function* oneVersion(old: Version, next: Version): Generator<Change> {
  const path = old.name;
  if (old.served && !next.served) yield { path, effect: 'breaks', message: 'is no longer served' };
  if (old.deprecated !== next.deprecated && next.deprecated === true)
    yield { path, effect: 'notice', message: 'is deprecated now' };
  for (const part of ['status', 'scale'] as const) {
    const [before, after] = [old.subresources?.[part], next.subresources?.[part]];
    if (before !== undefined && after === undefined)
      yield { path, effect: 'breaks', message: `subresource ${part} is gone` };
    else if (!deepEqual(before, after)) yield { path, effect: 'notice', message: `subresource ${part} differs` };
  }
  if (!deepEqual(old.additionalPrinterColumns ?? [], next.additionalPrinterColumns ?? []))
    yield { path, effect: 'notice', message: 'columns differ' };
  const gone = (old.selectableFields ?? []).filter(
    (field) => !next.selectableFields?.some((other) => deepEqual(field, other)),
  );
  for (const { jsonPath } of gone)
    yield { path, effect: 'breaks', message: `${jsonPath} can no longer be selected by` };
  yield* schemaChanges(schemaOf(old), schemaOf(next), path);
}

function schemaOf(version: Version): Structural {
  return (version.schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true }) as Structural;
}

/** Checks that stored objects stay readable: without a webhook, they are read as if they had the requested version. */
function* storageChanges(old: DeepReadonly<Definition>, next: DeepReadonly<Definition>): Generator<Change> {
  const [before, after] = [old.spec.versions.find(isStorage), next.spec.versions.find(isStorage)];
  if (before === undefined || after === undefined || before.name === after.name) return;
  const message = `objects are stored in it from now on; those stored in ${before.name} stay until they are written again`;
  yield { path: after.name, effect: 'notice', message };
  if (next.spec.conversion?.strategy === 'Webhook') return;
  yield* schemaChanges(schemaOf(before), schemaOf(after), `${before.name} as ${after.name}`);
}
