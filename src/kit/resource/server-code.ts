import {
  builtInTypes,
  canonicalize,
  checkStructural,
  collectErrors,
  type FieldError,
  invalid,
  type Struct,
  structuralKind,
} from '../../api/index.ts';
import { textChecks } from '../../cel/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import { checkDefinition, type Definition as CheckedDefinition } from '../../crd/index.ts';
import type { LocalOptions } from './custom-resource.ts';
import type { Definition } from './resource-options.ts';

/** Types are made once for each schema. */
const types = new WeakMap<object, Struct>();

interface ReadObject {
  readonly object: KubernetesObject;
  readonly errors: readonly FieldError[];
}

/** The object as a server would store it, and what it would say against it. */
export function readObject(given: unknown, definition: Definition, _options: LocalOptions): ReadObject {
  const sent = withTypeMeta(given, definition);
  const type = typeOf(sent, definition);
  const object = canonicalize(sent, type, { defaults: true });
  return { object, errors: collectErrors(() => checkStructural(object, type, textChecks)) };
}

/** The object as a server would store it; throws what the server would answer otherwise. */
export function acceptObject(given: unknown, definition: Definition, options: LocalOptions): KubernetesObject {
  const { object, errors } = readObject(given, definition, options);
  const { group, names } = definition.spec;
  if (errors.length > 0) throw invalid({ group, resource: names.kind }, object.metadata?.name ?? '', errors);
  return object;
}

/** Clients fill these in as well. */
function withTypeMeta(given: unknown, { spec }: Definition): KubernetesObject {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error(`Cannot read an object: it is ${JSON.stringify(given)}`);
  return { apiVersion: `${spec.group}/${spec.versions[0]?.name}`, kind: spec.names.kind, ...given };
}

function typeOf({ apiVersion, kind }: KubernetesObject, { spec }: Definition): Struct {
  const version = spec.versions.find(({ name }) => apiVersion === `${spec.group}/${name}`);
  if (version === undefined || kind !== spec.names.kind)
    throw new Error(
      `Cannot read an object: it is a ${kind} of "${apiVersion}", not a ${spec.names.kind} of "${spec.group}"`,
    );
  const schema = version.schema?.openAPIV3Schema ?? {};
  let type = types.get(schema);
  if (type === undefined) {
    type = structuralKind(
      schema,
      { group: spec.group, version: version.name, kind: spec.names.kind },
      { types: builtInTypes() },
    );
    types.set(schema, type);
  }
  return type;
}

const DEFINITION = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';

/** What a server would say against a definition, once it has filled in what is always there. */
export function definitionErrors(given: Definition): readonly FieldError[] {
  const type = builtInTypes().struct(DEFINITION);
  const decoded = canonicalize(given, type, { defaults: true }) as unknown as CheckedDefinition;
  const { names, versions = [] } = decoded.spec;
  const stored = versions.filter(({ storage }) => storage).map(({ name }) => name);
  return checkDefinition({
    ...decoded,
    apiVersion: given.apiVersion,
    metadata: { ...decoded.metadata },
    spec: { ...decoded.spec, names: { singular: names.kind?.toLowerCase(), listKind: `${names.kind}List`, ...names } },
    status: { storedVersions: stored.slice(0, 1), ...given.status },
  });
}
