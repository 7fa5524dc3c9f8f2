import type { MinorVersion } from '../../base/index.ts';
import type { Environment, Variable } from '../environment.ts';
import { DYN } from '../type-terms/index.ts';
import { namespaceType, requestType, type VariableTypes } from './admission-types.ts';
import { baseEnvironment, STORED } from './base-environment.ts';
import { DeclProvider } from './decl-provider.ts';
import { AUTHORIZER_TYPE, jsonPatchLibrary, RESOURCE_CHECK_TYPE } from './libraries/index.ts';
import { mutationTypes } from './mutation-types.ts';

/** What exists besides object, oldObject, request and namespaceObject. */
export interface AdmissionOptions {
  readonly hasParams?: boolean;
  readonly hasAuthorizer?: boolean;
  /** `Object{}` and `JSONPatch{}`, for mutations. */
  readonly hasPatchTypes?: boolean;
  /** Absent: no `variables`. */
  readonly variables?: VariableTypes;
  /** For new expressions, the oldest version they must work in. */
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
    const composed = options.variables.declared;
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
