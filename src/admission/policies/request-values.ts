import type { ApiObject } from '../../api/index.ts';
import { type AccessOracle, AuthorizerValue, type Bindings, ResourceCheck } from '../../cel/index.ts';
import type { AdmissionAttributes } from '../../apiserver/index.ts';

/** The inputs of a policy's expressions. */
export interface RequestValues {
  /** In the version that the policy wants. */
  readonly attributes: AdmissionAttributes;
  readonly params: ApiObject | null;
  readonly namespace: ApiObject | undefined;
}

/** The variables for validations, mutations and their messages. Without an oracle there is no `authorizer`. */
export function policyBindings({ attributes, params, namespace }: RequestValues, oracle?: AccessOracle): Bindings {
  return {
    object: attributes.object ?? null,
    oldObject: attributes.old ?? null,
    params,
    namespaceObject: namespaceValue(namespace),
    request: requestValue(attributes, nameOf(attributes.resource)),
    ...(oracle === undefined ? {} : authorizerValues(attributes, oracle)),
  };
}

/** The variables for match conditions: here the namespace is null, and the resource always the requested one. */
export function conditionBindings({ attributes, params }: RequestValues, oracle: AccessOracle): Bindings {
  return {
    object: attributes.object ?? null,
    oldObject: attributes.old ?? null,
    params,
    namespaceObject: null,
    request: requestValue(attributes, attributes.requestResource),
    ...authorizerValues(attributes, oracle),
  };
}

function authorizerValues(attributes: AdmissionAttributes, oracle: AccessOracle): Bindings {
  const authorizer = new AuthorizerValue(oracle);
  const { namespace, name, subresource, requestResource } = attributes;
  const { group, resource } = requestResource;
  const check = new ResourceCheck(authorizer, { group, resource, subresource, namespace, name });
  return { authorizer, 'authorizer.requestResource': check };
}

/** An AdmissionRequest without the objects. Empty strings are absent, as in its JSON. */
function requestValue(attributes: AdmissionAttributes, resource: object): object {
  const { operation, kind, subresource, requestKind, requestResource, name, namespace, user, dryRun } = attributes;
  return {
    uid: '',
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource,
    ...stated({ subResource: subresource }),
    requestKind,
    requestResource,
    ...stated({ requestSubResource: subresource, name, namespace }),
    operation,
    userInfo: {
      ...stated({ username: user.name, uid: user.uid ?? '' }),
      ...(user.groups.length > 0 ? { groups: user.groups } : {}),
      ...(Object.keys(user.extra ?? {}).length > 0 ? { extra: user.extra } : {}),
    },
    object: null,
    oldObject: null,
    dryRun,
    options: attributes.options ?? null,
  };
}

function nameOf({ group, version, plural }: AdmissionAttributes['resource']): object {
  return { group, version, resource: plural };
}

function stated(texts: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

const HIDDEN = new Set(['managedFields', 'ownerReferences', 'selfLink']);

/** The part of a namespace that expressions may see. */
function namespaceValue(namespace: ApiObject | undefined): object | null {
  if (namespace === undefined) return null;
  const { metadata, spec = {}, status = {} } = namespace as ApiObject & { spec?: unknown; status?: unknown };
  const shown = Object.entries(metadata).filter(([name]) => !HIDDEN.has(name));
  return { metadata: Object.fromEntries(shown), spec, status };
}
