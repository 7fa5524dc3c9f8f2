import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { connect, CustomResourceDefinition } from '../../client/index.ts';
import { documentsIn } from '../../client/manifests/index.ts';
import { type DefinedKind, type Definition, isDefinedKind, type ManifestOptions } from '../../kit/index.ts';
import { loadHosted } from './load-apps.ts';

/** A definition, and the kind of the module that it was generated from, if any. */
export interface FoundDefinition {
  readonly name: string;
  readonly definition: Definition;
  readonly kind?: DefinedKind;
}

/** How to find a cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly signal: AbortSignal;
}

const MODULES = new Set(['.ts', '.mts', '.js', '.mjs', '.cjs', '.cts']);

/** All definitions in files: kinds that modules export, and CustomResourceDefinitions of YAML and JSON. */
export async function readDefinitions(
  paths: readonly string[],
  options: ManifestOptions = {},
): Promise<readonly FoundDefinition[]> {
  const found: FoundDefinition[] = [];
  for (const path of paths) {
    const inFile = MODULES.has(extname(path)) ? await fromModule(path, options) : fromText(path);
    if (inFile.length === 0) throw new Error(`Cannot find a definition in "${path}"`);
    found.push(...inFile);
  }
  return found;
}

/** All definitions of a cluster. */
export async function clusterDefinitions(flags: ClusterFlags): Promise<readonly FoundDefinition[]> {
  await using client = await connect({ kubeconfig: flags.kubeconfig, context: flags.context });
  const { items } = await client.kind(CustomResourceDefinition).list({ signal: flags.signal });
  return items.map((definition) => foundDefinition(definition as Definition));
}

function foundDefinition(definition: Definition): FoundDefinition {
  return { name: definition.metadata?.name ?? '', definition };
}

async function fromModule(path: string, options: ManifestOptions): Promise<readonly FoundDefinition[]> {
  const { exported, given } = await loadHosted(path);
  const values = Object.values(exported).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]));
  const kinds = new Set([...values.filter(isDefinedKind), ...given.flatMap(({ app }) => app.resources)]);
  return [...kinds].map((kind) => ({ ...foundDefinition(kind.manifest(options)), kind }));
}

function fromText(path: string): readonly FoundDefinition[] {
  try {
    const text = readFileSync(path === '-' ? 0 : path, 'utf8');
    return documentsIn(text, path).flatMap(({ value }) => definitionsIn(value));
  } catch (cause) {
    throw new Error(`Cannot read "${path}"`, { cause });
  }
}

function definitionsIn(value: unknown): FoundDefinition[] {
  const { kind, items, spec } = (value ?? {}) as {
    readonly kind?: string;
    readonly items?: unknown;
    readonly spec?: unknown;
  };
  if (kind !== undefined && kind.endsWith('List') && Array.isArray(items)) return items.flatMap(definitionsIn);
  if (kind !== 'CustomResourceDefinition' || typeof spec !== 'object' || spec === null) return [];
  return [foundDefinition(withVersions(value as Definition))];
}

/** v1beta1 may set once for all versions what v1 sets for each. */
function withVersions(definition: Definition): Definition {
  const { version, validation, subresources, versions, ...spec } = definition.spec as Definition['spec'] & {
    readonly version?: string;
    readonly validation?: Definition['spec']['versions'][number]['schema'];
    readonly subresources?: Definition['spec']['versions'][number]['subresources'];
  };
  const listed = versions ?? [{ name: version ?? '', served: true, storage: true }];
  const shared = {
    ...(validation === undefined ? {} : { schema: validation }),
    ...(subresources === undefined ? {} : { subresources }),
  };
  return { ...definition, spec: { ...spec, versions: listed.map((each) => ({ ...shared, ...each })) } };
}
