import type { MinorVersion } from '../../base/index.ts';
import type { DefinitionFile, FieldDefinition, ResourceDefinition, TypeDefinition } from './definition.ts';
import { versionView } from './version-view.ts';

/**
 * The definitions against which programs are written: what the first version has, and what the others add to it. A field that changes
 * keeps the type that it has in the first version; its values are those of all.
 */
export function programView(
  files: readonly DefinitionFile[],
  [first, ...others]: readonly [MinorVersion, ...MinorVersion[]],
): readonly DefinitionFile[] {
  return others
    .map((version) => versionView(files, version))
    .reduce(
      (known, added) => merged({ known, added, keyOf: ({ alias }) => alias, both: mergedFile }),
      [...versionView(files, first)],
    );
}

function mergedFile(known: DefinitionFile, added: DefinitionFile): DefinitionFile {
  return {
    ...known,
    resources: merged({
      known: known.resources,
      added: added.resources,
      keyOf: ({ plural }) => plural,
      both: (resource: ResourceDefinition) => resource,
    }),
    types: merged({ known: known.types, added: added.types, keyOf: ({ name }) => name, both: mergedType }),
  };
}

function mergedType(known: TypeDefinition, added: TypeDefinition): TypeDefinition {
  const fields = merged({ known: known.fields, added: added.fields, keyOf: ({ name }) => name, both: mergedField });
  return { ...known, fields };
}

function mergedField(known: FieldDefinition, added: FieldDefinition): FieldDefinition {
  const [before, after] = [known.constraints.enum, added.constraints.enum];
  if (before === undefined || after === undefined) return known;
  return { ...known, constraints: { ...known.constraints, enum: [...new Set([...before, ...after])].sort() } };
}

interface Merge<T> {
  readonly known: readonly T[];
  readonly added: readonly T[];
  keyOf(item: T): string;
  both(known: T, added: T): T;
}

/** The known items in their order, each with what the added one of the same key brings, and then the items that are new. */
function merged<T>({ known, added, keyOf, both }: Merge<T>): T[] {
  const found = new Map(added.map((item) => [keyOf(item), item]));
  const keys = new Set(known.map((item) => keyOf(item)));
  return [
    ...known.map((item) => {
      const other = found.get(keyOf(item));
      return other === undefined ? item : both(item, other);
    }),
    ...added.filter((item) => !keys.has(keyOf(item))),
  ];
}

/** Since when definitions hold, by `ALIAS.TYPE` and `ALIAS.TYPE.FIELD`; what holds in the oldest version is left out. */
export function firstVersions(
  files: readonly DefinitionFile[],
  oldest: MinorVersion,
): ReadonlyMap<string, MinorVersion> {
  const found = new Map<string, MinorVersion>();
  for (const { alias, types, since: begin = 0 } of files) {
    for (const { name, fields } of types) {
      if (begin > oldest) found.set(`${alias}.${name}`, begin);
      const earliest = new Map<string, MinorVersion>();
      for (const { name: field, flags } of fields)
        earliest.set(field, Math.min(flags.since ?? 0, earliest.get(field) ?? Infinity));
      for (const [field, since] of earliest) if (since > oldest) found.set(`${alias}.${name}.${field}`, since);
    }
  }
  return found;
}
