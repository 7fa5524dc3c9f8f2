import {
  builtInTypes,
  canonicalize,
  checkObjectMeta,
  collectErrors,
  dns1123SubdomainProblems,
  type FieldError,
  invalid,
  maskTrailingDash,
  type ObjectMetaCheck,
  type Struct,
  structuralKind,
} from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import { checkCustomObject, checkDefinition, type Definition as CheckedDefinition } from '../../crd/index.ts';
import type { LocalOptions } from './custom-resource.ts';
import type { Definition } from './resource-options.ts';

/** Types, cached by schema. */
const types = new WeakMap<object, Struct>();

interface ReadObject {
  readonly object: KubernetesObject;
  readonly errors: readonly FieldError[];
}

/** The object as a server would store it, and the errors that it would report. */
export function readObject(given: unknown, definition: Definition, { old }: LocalOptions): ReadObject {
  const object = decoded(given, definition);
  const before = old === undefined ? undefined : decoded(old, definition);
  const errors = collectErrors(() => {
    const found = metadataErrors(object, definition);
    return [...found, ...checkCustomObject(object, typeOf(object, definition), { old: before, found })];
  });
  return { object, errors };
}

/** With defaults and without unknown fields. */
function decoded(given: unknown, definition: Definition): KubernetesObject {
  const sent = withTypeMeta(given, definition);
  return canonicalize(sent, typeOf(sent, definition), { defaults: true });
}

/** The errors in the metadata. The namespace may be missing, because requests name it in their path. */
function metadataErrors({ metadata = {} }: KubernetesObject, { spec }: Definition): readonly FieldError[] {
  const namespaced = spec.scope !== 'Cluster';
  const somewhere = namespaced ? { namespace: 'default', ...metadata } : metadata;
  const checkName: ObjectMetaCheck['checkName'] = (name, { prefix }) =>
    dns1123SubdomainProblems(prefix ? maskTrailingDash(name) : name);
  return checkObjectMeta(somewhere, { namespaced, checkName });
}

/** The object as a server would store it; throws the server's error if it would refuse it. */
export function acceptObject(given: unknown, definition: Definition, options: LocalOptions): KubernetesObject {
  const { object, errors } = readObject(given, definition, options);
  const { group, names } = definition.spec;
  if (errors.length > 0) throw invalid({ group, resource: names.kind }, object.metadata?.name ?? '', errors);
  return object;
}

/** Fills in kind and apiVersion, as clients do. */
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

/** The errors that a server would report for a definition, after completing it. */
export function definitionErrors(given: Definition): readonly FieldError[] {
  const type = builtInTypes().struct(DEFINITION);
  const definition = canonicalize(given, type, { defaults: true }) as unknown as CheckedDefinition;
  const { names, versions = [] } = definition.spec;
  const stored = versions.filter(({ storage }) => storage).map(({ name }) => name);
  return checkDefinition({
    ...definition,
    apiVersion: given.apiVersion,
    metadata: { ...definition.metadata },
    spec: {
      ...definition.spec,
      names: { singular: names.kind?.toLowerCase(), listKind: `${names.kind}List`, ...names },
    },
    status: { storedVersions: stored.slice(0, 1), ...given.status },
  });
}
