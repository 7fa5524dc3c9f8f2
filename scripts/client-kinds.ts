// Writes the client's view of the built-in API: one value a resource, as a tree by group and version, and flat by kind.
import { compareVersions } from '../src/api/discovery/version-order.ts';
import type { DefinitionFile, ResourceDefinition } from '../src/api/language/definition.ts';
import { pluralOf } from '../src/api/values/resource-names.ts';

/** One resource of one version. */
interface Entry {
  readonly file: DefinitionFile;
  readonly resource: ResourceDefinition;
}

/** Where a kind has the same name in two groups, the one that a plain name means. */
const preferredGroup: Readonly<Record<string, string>> = { Event: '' };

const NOTE = '// Made by scripts/generate.ts from the definition files.';

/** The text of `src/client/generated/built-in.ts`: `builtIn.apps.v1.deployments`, and clients with a property for each group. */
export function builtInTree(files: readonly DefinitionFile[]): string {
  const served = files.filter((file) => file.resources.length > 0);
  const groups = groupBy(served, groupName);
  const tree = [...groups].flatMap(([group, versions]) => [
    `  readonly ${group}: {`,
    ...versions.flatMap((file) => [
      `    readonly ${file.version}: {`,
      ...file.resources.map((resource) => `      readonly ${resource.plural}: ${kindType({ file, resource })};`),
      '    };',
    ]),
    '  };',
  ]);
  const table = [...groups].map(([group, versions]) => `  ${group}: '${kindTexts(group, versions)}',`);
  return [
    NOTE,
    `import type { Kind } from '../kind.ts';`,
    `import { kindTree } from '../kind-tree.ts';`,
    `import { GroupClients } from '../group-clients.ts';`,
    ...typeImports(served),
    '',
    'type BuiltIn = {',
    ...tree,
    '};',
    '',
    '/** Every resource of Kubernetes 1.36 and 1.37 by group, version and plural. */',
    'export const builtIn: BuiltIn = kindTree({',
    ...table,
    '});',
    '',
    '/** A client with a property for each API group of Kubernetes. */',
    'export const BuiltInClients = GroupClients.of(builtIn);',
    '',
  ].join('\n');
}

/** The text of `src/client/generated/kinds.ts`: `Deployment`, as a value and as a type, of the best version. */
export function flatKinds(files: readonly DefinitionFile[]): string {
  const best = bestOfEachKind(files);
  return [
    NOTE,
    `import { builtIn } from './built-in.ts';`,
    ...typeImports(best.map(({ file }) => file)),
    '',
    ...best.flatMap(({ file, resource }) => [
      `export type ${resource.kind} = ${typeName(file)}.${resource.kind};`,
      `export const ${resource.kind} = builtIn.${groupName(file)}.${file.version}.${resource.plural};`,
    ]),
    '',
  ].join('\n');
}

function bestOfEachKind(files: readonly DefinitionFile[]): readonly Entry[] {
  const best = new Map<string, Entry>();
  for (const file of files) {
    for (const resource of file.resources) {
      const known = best.get(resource.kind);
      if (known === undefined || isBetter(file, known.file, resource.kind)) best.set(resource.kind, { file, resource });
    }
  }
  return [...best.values()].sort((left, right) => (left.resource.kind < right.resource.kind ? -1 : 1));
}

function isBetter(file: DefinitionFile, known: DefinitionFile, kind: string): boolean {
  if (file.group === known.group) return compareVersions(file.version, known.version) < 0;
  const preferred = preferredGroup[kind];
  if (preferred === undefined)
    throw new Error(`Kind "${kind}" is in groups "${file.group}" and "${known.group}": say which one is meant`);
  return file.group === preferred;
}

function kindType({ file, resource }: Entry): string {
  return `Kind<${typeName(file)}.${resource.kind}, '${resource.namespaced ? 'Namespaced' : 'Cluster'}'>`;
}

/** A kind as `kindTree` reads it. */
function kindWord({ kind, plural, namespaced }: ResourceDefinition): string {
  const named = pluralOf(kind) === plural ? kind : `${kind}=${plural}`;
  return namespaced ? named : `${named}*`;
}

/** The kinds of a group as `kindTree` reads them: those of the same versions together. */
function kindTexts(name: string, files: readonly DefinitionFile[]): string {
  const group = files[0]?.group ?? '';
  const words = new Set(files.flatMap(({ resources }) => resources.map(kindWord)));
  const versionsOf = (word: string): string =>
    files
      .flatMap(({ version, resources }) => (resources.some((each) => kindWord(each) === word) ? [version] : []))
      .join(',');
  const texts = [...groupBy([...words], versionsOf)].map(([versions, kinds]) =>
    [versions === 'v1' ? '' : versions, ...kinds].join(' '),
  );
  const begin = group === '' ? '' : `${group}/`;
  return [begin === `${name}.k8s.io/` ? '~' : begin, ...texts].join(';');
}

/** The group as a property: the first part of its alias, such as `rbac` for `rbac.authorization.k8s.io`. */
function groupName(file: DefinitionFile): string {
  return file.alias.split('/')[0] ?? '';
}

function typeName(file: DefinitionFile): string {
  return `${groupName(file)}${file.version.charAt(0).toUpperCase()}${file.version.slice(1)}`;
}

function typeImports(files: readonly DefinitionFile[]): string[] {
  const lines = files.map((file) => `import type * as ${typeName(file)} from '../../api/types/${file.alias}.d.ts';`);
  return [...new Set(lines)].sort();
}

/** `Map.groupBy`, which Node 20 does not have. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
