import type { StructuralSchema } from '../../cel/index.ts';

/** The path of a rule in a schema: the steps of `spec.backends[0]`. */
export type Path = readonly (string | number)[];

/** Reads a path such as `spec.backends[0].name`; undefined when it is invalid. */
export function parsePath(text: string): Path | undefined {
  const trimmed = text.replace(/^\./, '');
  if (!/^(?:[^.[\]]+(?:\[\d+\])*)(?:\.[^.[\]]+(?:\[\d+\])*)*$/.test(trimmed)) return undefined;
  return [...trimmed.matchAll(/[^.[\]]+(?=\])|[^.[\]]+/g)].map(({ 0: step, index }) =>
    trimmed[index - 1] === '[' ? Number(step) : step,
  );
}

interface DefinitionVersion {
  readonly name?: string;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
}

interface Definition {
  readonly kind?: string;
  readonly spec?: {
    readonly version?: string;
    readonly versions?: readonly DefinitionVersion[];
    readonly validation?: { readonly openAPIV3Schema?: StructuralSchema };
  };
}

export interface SchemaChoice {
  /** The requested version. */
  readonly version?: string;
  /** The apiVersion of the object, the default version. */
  readonly apiVersion?: unknown;
}

/** The schema in a document: a CustomResourceDefinition, or a schema itself. Throws when there is none. */
export function findSchema(
  document: unknown,
  choice: SchemaChoice,
): { schema: StructuralSchema; isResourceRoot: boolean } {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error('it is neither a CustomResourceDefinition nor a schema');
  }
  const { kind, spec } = document as Definition;
  if (kind !== 'CustomResourceDefinition') {
    if (kind !== undefined) throw new Error(`it is of kind "${kind}", not a CustomResourceDefinition`);
    if (choice.version !== undefined) throw new Error('it is a schema without versions');
    return { schema: document, isResourceRoot: false };
  }
  const versions = spec?.versions ?? [{ name: spec?.version ?? '', storage: true }];
  const version = chooseVersion(versions, choice);
  const schema = version.schema?.openAPIV3Schema ?? spec?.validation?.openAPIV3Schema;
  if (schema === undefined) throw new Error(`version "${version.name ?? ''}" has no schema`);
  return { schema, isResourceRoot: true };
}

function chooseVersion(versions: readonly DefinitionVersion[], choice: SchemaChoice): DefinitionVersion {
  const byName = (wanted: string): DefinitionVersion | undefined => versions.find(({ name }) => name === wanted);
  if (choice.version !== undefined) {
    const found = byName(choice.version);
    if (found !== undefined) return found;
    const names = versions.map(({ name }) => `"${name ?? ''}"`).join(', ');
    throw new Error(`it has no version "${choice.version}", only ${names}`);
  }
  const ofObject = typeof choice.apiVersion === 'string' ? byName(choice.apiVersion.replace(/^.*\//, '')) : undefined;
  const chosen = ofObject ?? versions.find(({ storage }) => storage === true) ?? versions[0];
  if (chosen === undefined) throw new Error('it has no versions');
  return chosen;
}

/** The schema at a path below another. Throws when there is none. */
export function schemaAt(schema: StructuralSchema, path: Path): StructuralSchema {
  let at = schema;
  for (const step of path) {
    const next =
      typeof step === 'number'
        ? (at.items as StructuralSchema | undefined)
        : (at.properties?.[step] ??
          (typeof at.additionalProperties === 'object' ? at.additionalProperties : undefined));
    if (next === undefined) throw new Error(`it has nothing at "${String(step)}"`);
    at = next;
  }
  return at;
}

/** The data at a path; undefined when there is none. */
export function dataAt(data: unknown, path: Path): unknown {
  let at = data;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[step];
  }
  return at;
}
