import type { Struct } from '../../api/index.ts';
import type { Environment } from '../environment.ts';
import { DYN } from '../type-terms/index.ts';
import { namespaceType, requestType, type VariableTypes } from './admission-types.ts';
import { baseEnvironment } from './base-environment.ts';
import { DeclProvider } from './decl-provider.ts';
import { type DeclType, nameObjects } from './decl-type.ts';
import { AUTHORIZER_TYPE } from './libraries/index.ts';
import { objectDeclType } from './schema-type.ts';

/** What a policy's expressions are checked against. */
export interface CheckedKinds {
  /** The type of the objects that the policy is about. */
  readonly object: Struct | undefined;
  /** The type of its parameters; undefined when it has none or their type is unknown. */
  readonly params?: Struct;
  readonly hasParams: boolean;
  readonly variables: VariableTypes;
}

/**
 * The environment in which Kubernetes type-checks the expressions of a policy for the warnings in its status: here the
 * objects have static types. As in Kubernetes, `authorizer.requestResource` is unknown here.
 */
export function typeCheckingEnvironment({ object, params, hasParams, variables }: CheckedKinds): Environment {
  const objectType = namedType(object, 'Object');
  const paramsType = namedType(params, 'Params');
  const composed = variables.declared;
  const [namespace, request] = [namespaceType(), requestType()];
  const dynamic = { type: DYN };
  const roots = [namespace, request, objectType, paramsType, composed].filter((type) => type !== undefined);
  return baseEnvironment().extend({
    variables: [
      { name: 'namespaceObject', type: namespace.type },
      { name: 'request', type: request.type },
      ...['object', 'oldObject'].map((name) => ({ name, type: (objectType ?? dynamic).type })),
      ...(hasParams ? [{ name: 'params', type: (paramsType ?? dynamic).type }] : []),
      { name: 'authorizer', type: AUTHORIZER_TYPE },
      { name: 'variables', type: composed.type },
    ],
    types: [new DeclProvider(roots, { allowsKeywords: true })],
  });
}

function namedType(struct: Struct | undefined, name: string): DeclType | undefined {
  const type = struct === undefined ? undefined : objectDeclType(struct);
  return type === undefined ? undefined : nameObjects(type, name);
}
