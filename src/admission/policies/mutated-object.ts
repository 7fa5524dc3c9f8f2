import {
  type ApiObject,
  canonicalize,
  conversionError,
  DecodeError,
  formatGroupVersionKind,
  internalError,
  type Struct,
} from '../../api/index.ts';
import type { AdmissionAttributes } from '../../apiserver/index.ts';
import { MutationProblem } from './mutation.ts';

/** The type of a request's object: its resource's own, or that of the subresource. */
export function structOf({ resource, kind, subresource }: AdmissionAttributes): Struct {
  const below = resource.subresources.get(subresource);
  const isOwn = kind.kind === resource.kind && kind.group === resource.group;
  return isOwn || below === undefined || !('struct' in below) ? resource.type : below.struct;
}

/**
 * Whether configurations can be applied to a request's object: upstream has no types for objects from another API
 * version.
 */
export function hasMergeType({ resource, kind, operation }: AdmissionAttributes): boolean {
  return operation !== 'CONNECT' && kind.group === resource.group && kind.version === resource.version;
}

/** Decodes a mutated object, and fills in defaults. JSON patches are decoded strictly. */
export function decodeMutated(value: unknown, attributes: AdmissionAttributes, isStrict: boolean): ApiObject {
  const struct = structOf(attributes);
  const { kind, apiVersion } = attributes.object ?? {};
  try {
    const unknown: string[] = [];
    const decoded = canonicalize(value, struct, { defaults: true, onUnknown: (path) => unknown.push(path) });
    if (isStrict && unknown.length > 0) {
      const problems = unknown.map((path) => `unknown field "${path}"`).join(', ');
      throw internalError(new Error(`strict decoding error: ${problems}`));
    }
    const { kind: _1, apiVersion: _2, ...rest } = decoded as unknown as ApiObject;
    const object = { kind, apiVersion, ...rest } as ApiObject;
    if (struct === attributes.resource.type) attributes.resource.strategy.applyDefaults?.(object);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (isStrict) throw internalError(error);
    const why = conversionError(value, struct) ?? error.message;
    throw new MutationProblem(
      `unable to convert unstructured object to ${formatGroupVersionKind(attributes.kind)}: ${why}`,
    );
  }
}

/**
 * Kubernetes 1.36 cannot convert back an object that a policy mutated in another version of a built-in kind. Custom
 * kinds are converted.
 */
export function refuseOtherVersion({ resource, kind, requestKind }: AdmissionAttributes): void {
  const isSame = kind.group === requestKind.group && kind.version === requestKind.version;
  if (isSame || resource.type.isStructural === true) return;
  const nameOf = (named: { readonly version: string; readonly kind: string }): string =>
    `${named.version}.${named.kind}`;
  throw new MutationProblem(`converting (${nameOf(kind)}) to (${nameOf(requestKind)}): unknown conversion`);
}
