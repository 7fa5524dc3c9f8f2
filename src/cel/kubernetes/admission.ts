import type { Environment, Variable } from '../environment.ts';
import { DYN, type Type } from '../types/index.ts';
import { baseEnvironment, type MinorVersion, STORED } from './base-environment.ts';
import { DeclProvider } from './decl-provider.ts';
import { type DeclType, declared, listType, mapType, structType, UNBOUNDED } from './decl-type.ts';
import { AUTHORIZER_TYPE, jsonPatchLibrary, RESOURCE_CHECK_TYPE } from './libraries/index.ts';
import { mutationTypes } from './mutation-types.ts';

/** What is there besides object, oldObject, request and namespaceObject. */
export interface AdmissionOptions {
  readonly hasParams?: boolean;
  readonly hasAuthorizer?: boolean;
  /** `Object{}` and `JSONPatch{}`, for mutations. */
  readonly hasPatchTypes?: boolean;
  /** The types of the variables that stand before, by name; undefined leaves `variables` out. */
  readonly variables?: ReadonlyMap<string, Type>;
  /** For new expressions, the version that they must work in. */
  readonly version?: MinorVersion;
}

/** The environment of admission policies and match conditions. All variables are bound to plain JSON. */
export function admissionEnvironment(options: AdmissionOptions = {}): Environment {
  const version = options.version ?? STORED;
  const request = requestType();
  const namespace = namespaceType();
  const variables: Variable[] = [
    { name: 'object', type: DYN },
    { name: 'oldObject', type: DYN },
    { name: 'namespaceObject', type: namespace.type },
    { name: 'request', type: request.type },
  ];
  const roots = [namespace, request];
  if (options.hasParams === true) variables.push({ name: 'params', type: DYN });
  if (options.hasAuthorizer === true) {
    variables.push(
      { name: 'authorizer', type: AUTHORIZER_TYPE },
      { name: 'authorizer.requestResource', type: RESOURCE_CHECK_TYPE },
    );
  }
  if (options.variables !== undefined) {
    const composed = variablesType(options.variables);
    variables.push({ name: 'variables', type: composed.type });
    roots.push(composed);
  }
  const environment = baseEnvironment(version).extend({
    variables,
    types: [new DeclProvider(roots, { allowsKeywords: version >= 31 })],
  });
  if (options.hasPatchTypes !== true) return environment;
  return environment.extend({ types: [mutationTypes], libraries: [jsonPatchLibrary()] });
}

function variablesType(variables: ReadonlyMap<string, Type>): DeclType {
  const fields = [...variables].map(([name, type]) => [name, { ...declared.dyn, type }] as const);
  return structType('kubernetes.variables', Object.fromEntries(fields));
}

const texts = listType(declared.string, UNBOUNDED);

/** The user, as policies and authentication see it. */
export function userInfoType(): DeclType {
  return structType('kubernetes.UserInfo', {
    username: declared.string,
    uid: declared.string,
    groups: texts,
    extra: mapType(declared.string, texts, UNBOUNDED),
  });
}

function requestType(): DeclType {
  const kind = structType('kubernetes.GroupVersionKind', {
    group: declared.string,
    version: declared.string,
    kind: declared.string,
  });
  const resource = structType('kubernetes.GroupVersionResource', {
    group: declared.string,
    version: declared.string,
    resource: declared.string,
  });
  return structType('kubernetes.AdmissionRequest', {
    kind,
    resource,
    subResource: declared.string,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: declared.string,
    name: declared.string,
    namespace: declared.string,
    operation: declared.string,
    userInfo: userInfoType(),
    dryRun: declared.bool,
    options: declared.dyn,
  });
}

function namespaceType(): DeclType {
  const labels = mapType(declared.string, declared.string, UNBOUNDED);
  const condition = structType('kubernetes.NamespaceCondition', {
    status: declared.string,
    type: declared.string,
    lastTransitionTime: declared.timestamp,
    message: declared.string,
    reason: declared.string,
  });
  return structType('kubernetes.Namespace', {
    metadata: structType('kubernetes.NamespaceMetadata', {
      name: declared.string,
      generateName: declared.string,
      namespace: declared.string,
      labels,
      annotations: labels,
      UID: declared.string,
      creationTimestamp: declared.timestamp,
      deletionGracePeriodSeconds: declared.int,
      deletionTimestamp: declared.timestamp,
      generation: declared.int,
      resourceVersion: declared.string,
      finalizers: texts,
    }),
    spec: structType('kubernetes.NamespaceSpec', { finalizers: texts }),
    status: structType('kubernetes.NamespaceStatus', {
      conditions: listType(condition, UNBOUNDED),
      phase: declared.string,
    }),
  });
}
