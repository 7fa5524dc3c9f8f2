import { objectType, type Type } from '../type-terms/index.ts';
import { type DeclField, type DeclType, declared, listType, mapType, structType, UNBOUNDED } from './decl-type.ts';

/**
 * The type of `variables`, to which variables are added one by one; an existing environment also sees those added
 * later.
 */
export class VariableTypes {
  readonly #fields = new Map<string, DeclField>();
  readonly declared: DeclType = {
    type: objectType('kubernetes.variables'),
    fields: this.#fields,
    maxElements: 0,
    minSize: 2,
  };

  /** Undefined is the type of an invalid variable. */
  add(name: string, type: Type | undefined): void {
    this.#fields.set(name, { type: variableType(type), isRequired: false });
  }
}

/** Later expressions know a variable's type only if it is a simple type, a list or a map. */
function variableType(type: Type | undefined): DeclType {
  if (type?.kind === 'list') return listType(variableType(type.parameters[0]), UNBOUNDED);
  if (type?.kind === 'map') {
    return mapType(variableType(type.parameters[0]), variableType(type.parameters[1]), UNBOUNDED);
  }
  return SIMPLE.find((simple) => type !== undefined && simple.type.isExactly(type)) ?? declared.dyn;
}

const { quantity: _, ...simpleTypes } = declared;
const SIMPLE: readonly DeclType[] = Object.values(simpleTypes);

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

/** The type of `request`. */
export function requestType(): DeclType {
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

/** The type of `namespaceObject`. */
export function namespaceType(): DeclType {
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
