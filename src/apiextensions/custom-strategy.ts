import {
  type ApiObject,
  dns1123SubdomainProblems,
  forbidden,
  maskTrailingDash,
  qualifiedNameProblems,
  withMeta,
} from '../api/index.ts';
import type { CustomResourceSubresources } from '../api/types/apiextensions/v1.d.ts';
import type { Strategy } from '../apiserver/index.ts';
import { deepEqual } from '../base/index.ts';
import { checkScaled } from './custom-scale.ts';

export interface CustomKind {
  readonly group: string;
  readonly plural: string;
  readonly subresources: CustomResourceSubresources;
  /** Whether the definition is being deleted: no new objects. */
  readonly isTerminating: () => boolean;
}

/** The write strategy of a custom kind. Its schema is checked before these rules. */
export function customStrategy({ group, plural, subresources, isTerminating }: CustomKind): Strategy {
  const { status, scale } = subresources;
  const hasStatus = status !== undefined;
  return {
    requiresResourceVersion: true,
    checkName: (name, { prefix }) => dns1123SubdomainProblems(prefix ? maskTrailingDash(name) : name),
    prepareForCreate(object) {
      if (isTerminating()) {
        const why = 'create not allowed while custom resource definition is terminating';
        throw forbidden({ group, resource: plural }, object.metadata.name ?? '', why);
      }
      if (hasStatus) delete object['status'];
      object.metadata = withMeta(object.metadata, { generation: 1 });
    },
    prepareForUpdate(object, old) {
      if (hasStatus) copyMember('status', old, object);
      if (isSameBesidesMetadata(object, old)) return;
      object.metadata = withMeta(object.metadata, { generation: (old.metadata.generation ?? 0) + 1 });
    },
    validate: (object) => (scale === undefined ? [] : checkScaled(object, scale, 'all')),
    validateUpdate: (object) => (scale === undefined ? [] : checkScaled(object, scale, 'all')),
    warnings: finalizerWarnings,
  };
}

/** The status subresource: everything but `status` stays as it was. */
export function customStatusStrategy(kind: CustomKind): Strategy {
  const { scale } = kind.subresources;
  return {
    ...customStrategy(kind),
    prepareForUpdate(object, old) {
      for (const name of new Set([...Object.keys(object), ...Object.keys(old)])) {
        if (name !== 'status' && name !== 'metadata') copyMember(name, old, object);
      }
      const { managedFields } = object.metadata;
      object.metadata = withMeta(old.metadata, { managedFields });
    },
    validateUpdate: (object) => (scale === undefined ? [] : checkScaled(object, scale, 'status')),
    warnings: undefined,
  };
}

function copyMember(name: string, from: ApiObject, to: ApiObject): void {
  if (from[name] === undefined) delete to[name];
  else to[name] = from[name];
}

function isSameBesidesMetadata(object: ApiObject, old: ApiObject): boolean {
  const { metadata: _, ...rest } = object;
  const { metadata: __, ...was } = old;
  return deepEqual(rest, was);
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Warns of new finalizers whose names have no domain. */
function finalizerWarnings({ metadata }: ApiObject, old: ApiObject | undefined): string[] {
  const known = new Set(old?.metadata.finalizers);
  const added = [...new Set(metadata.finalizers)].filter((name) => !known.has(name)).sort();
  return added.flatMap((name) => {
    const subject = `metadata.finalizers: ${JSON.stringify(name)}`;
    const problems = qualifiedNameProblems(name).map((problem) => `${subject}: ${problem}`);
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return problems;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...problems, `${subject}: ${advice}`];
  });
}
