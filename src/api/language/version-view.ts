import type { MinorVersion } from '../../base/index.ts';
import type { DefinitionFile, FieldDefinition, ResourceDefinition, TypeDefinition } from './definition.ts';
import { holdsIn } from './version-range.ts';

/**
 * The definition files as one version of Kubernetes has them: its groups, resources, fields and flags, the kinds of those resources, and
 * the types that something left refers to. A type to which no definition ever refers stays.
 */
export function versionView(files: readonly DefinitionFile[], version: MinorVersion): readonly DefinitionFile[] {
  const shown = files.map((file) => shownOf(file, version));
  const used = reachable(shown, rootsOf(files, shown, version));
  return shown
    .map((file) => ({ ...file, types: file.types.filter((type) => used.has(type)) }))
    .filter((file) => holdsIn(file, version) || file.types.length > 0);
}

/** A file with the resources and fields of the version, and all of its types. */
function shownOf(file: DefinitionFile, version: MinorVersion): DefinitionFile {
  const isThere = holdsIn(file, version);
  const resources = file.resources
    .filter((resource) => isThere && holdsIn(resource, version))
    .map((resource): ResourceDefinition => ({
      ...resource,
      subresources: resource.subresources.filter((each) => holdsIn(each, version)),
    }));
  const types = file.types.map((type): TypeDefinition => ({
    ...type,
    fields: type.fields.filter(({ flags }) => holdsIn(flags, version)),
  }));
  return { ...file, resources, types };
}

/** The types that are there without a reference: kinds that have a resource or never had one, and types that nothing refers to. */
function rootsOf(
  all: readonly DefinitionFile[],
  shown: readonly DefinitionFile[],
  version: MinorVersion,
): TypeDefinition[] {
  const referred = new Set(all.flatMap((file) => file.types.flatMap((type) => referencesOf(type, file))));
  return shown.flatMap((file, index) => {
    if (!holdsIn(file, version)) return [];
    const ever = new Set(all[index]?.resources.map(({ kind }) => kind));
    const now = new Set(file.resources.map(({ kind }) => kind));
    return file.types.filter(({ name, isKind }) =>
      ever.has(name) ? now.has(name) : isKind || !referred.has(`${file.alias}.${name}`),
    );
  });
}

function reachable(files: readonly DefinitionFile[], roots: readonly TypeDefinition[]): ReadonlySet<TypeDefinition> {
  const named = new Map<string, { readonly file: DefinitionFile; readonly type: TypeDefinition }>();
  const fileOf = new Map<TypeDefinition, DefinitionFile>();
  for (const file of files) {
    for (const type of file.types) {
      named.set(`${file.alias}.${type.name}`, { file, type });
      fileOf.set(type, file);
    }
  }
  const found = new Set<TypeDefinition>();
  const waiting = [...roots];
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    const file = fileOf.get(type);
    if (file === undefined || found.has(type)) continue;
    found.add(type);
    for (const reference of referencesOf(type, file)) {
      const target = named.get(reference);
      if (target !== undefined) waiting.push(target.type);
    }
  }
  return found;
}

/** The types of the fields by full name, those of JSON itself included, which name no type. */
function referencesOf(type: TypeDefinition, file: DefinitionFile): string[] {
  return type.fields.map((field) => referenceOf(field, file));
}

function referenceOf({ type }: FieldDefinition, file: DefinitionFile): string {
  const name = type.replace(/^(?:\*|\[\]|wrapped\[\]|map<)+/, '').replace(/>+$/, '');
  return name.includes('.') ? name : `${file.alias}.${name}`;
}
