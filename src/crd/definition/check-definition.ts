import { asJson, collectingErrors, type FieldError, forbiddenField, invalidValue } from '../../api/index.ts';
import { allAtOnce, DEFAULT_KUBERNETES_VERSION, type KubernetesVersion, type Steps } from '../../base/index.ts';
import { checkApproval } from './approval.ts';
import { checkNames } from './check-names.ts';
import { checkSpec } from './check-spec.ts';
import { CheckWork, TooMuchWork } from './check-work.ts';
import type { Definition } from './definition.ts';
import { hubSpec } from './hub-definition.ts';
import { newDefinitionRatchets, oldVersionRatchets, versionOfNewExpressions } from './ratchets.ts';
import { updateRatchets } from './update-ratchets.ts';

const OLD_VERSION = 'apiextensions.k8s.io/v1beta1';

/**
 * Everything wrong with a new definition, in the words and order of kube-apiserver 1.36, except the rules for the
 * metadata of every kind. Assumes: the definition has been decoded and defaulted.
 */
export function checkDefinition(definition: Definition): readonly FieldError[] {
  return allAtOnce(checkingDefinition(definition));
}

/** The same in steps, as a version of Kubernetes checks it. */
export function checkingDefinition(
  definition: Definition,
  kubernetes: KubernetesVersion = DEFAULT_KUBERNETES_VERSION,
): Steps<readonly FieldError[]> {
  return inBounds(function* (work) {
    const isOld = isOldVersion(definition);
    const newExpressions = versionOfNewExpressions(kubernetes);
    const ratchets = { ...newDefinitionRatchets, newExpressions, ...(isOld ? oldVersionRatchets : {}) };
    return [
      ...checkName(definition),
      ...(yield* checkSpec(hubSpec(definition.spec), ratchets, work)),
      ...checkDefinitionStatus(definition),
      ...checkStoredVersions(definition),
      ...(isOld ? [] : [...checkApproval(definition, undefined), ...checkPreserving(definition, undefined)]),
    ];
  });
}

/** The same for an update; most existing problems may stay. */
export function checkDefinitionUpdate(definition: Definition, old: Definition): readonly FieldError[] {
  return allAtOnce(checkingDefinitionUpdate(definition, old));
}

/** The same in steps, as a version of Kubernetes checks it. */
export function checkingDefinitionUpdate(
  definition: Definition,
  old: Definition,
  kubernetes: KubernetesVersion = DEFAULT_KUBERNETES_VERSION,
): Steps<readonly FieldError[]> {
  return inBounds(function* (work) {
    const isOld = isOldVersion(definition);
    const newExpressions = versionOfNewExpressions(kubernetes);
    const ratchets = { ...updateRatchets(definition, old), newExpressions, ...(isOld ? oldVersionRatchets : {}) };
    return [
      ...(yield* checkSpec(hubSpec(definition.spec), ratchets, work)),
      ...checkImmutable(definition, old, ratchets.requiresSameNames),
      ...checkDefinitionStatus(definition),
      ...checkStoredVersions(definition),
      ...(isOld ? [] : [...checkApproval(definition, old), ...checkPreserving(definition, old)]),
    ];
  });
}

/** Whether a definition was sent as v1beta1, which requires less. */
function isOldVersion({ apiVersion }: Definition): boolean {
  return (apiVersion as string | undefined) === OLD_VERSION;
}

/** Ends a check that takes too long, which no check of a definition in use does. */
function* inBounds(check: (work: CheckWork) => Steps<readonly FieldError[]>): Steps<readonly FieldError[]> {
  try {
    return yield* collectingErrors(check(new CheckWork()));
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return [forbiddenField('spec.versions', error.message)];
  }
}

/** Everything wrong with a written status. */
export function checkDefinitionStatus({ status }: Definition): FieldError[] {
  return checkNames(status?.acceptedNames, 'status.acceptedNames');
}

function checkName({ metadata, spec }: Definition): FieldError[] {
  const wanted = `${spec.names?.plural ?? ''}.${spec.group ?? ''}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const name = metadata[field] ?? '';
    if (name === '' || name === wanted) return [];
    return [invalidValue(`metadata.${field}`, name, 'must be spec.names.plural+"."+spec.group')];
  });
}

function checkImmutable({ spec }: Definition, { spec: was }: Definition, requiresSameNames: boolean): FieldError[] {
  const pairs: readonly (readonly [path: string, now: string, before: string])[] = [
    ...(requiresSameNames
      ? ([
          ['spec.scope', spec.scope, was.scope],
          ['spec.names.kind', spec.names.kind, was.names.kind],
        ] as const)
      : []),
    ['spec.group', spec.group, was.group],
    ['spec.names.plural', spec.names.plural, was.names.plural],
  ];
  return pairs.flatMap(([path, now, before]) =>
    now === before
      ? []
      : [invalidValue(path, path === 'spec.scope' ? asJson(now ?? '') : (now ?? ''), 'field is immutable')],
  );
}

function checkPreserving({ spec }: Definition, old: Definition | undefined): FieldError[] {
  if (spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalidValue('spec.preserveUnknownFields', true, detail)];
}

/** Versions in which objects are stored must stay until no object is stored in them. */
function checkStoredVersions({ spec, status }: Definition): FieldError[] {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0)
    return [invalidValue(path, status?.storedVersions ?? null, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  const missing = new Map(stored.map((name, index) => [name, index]));
  for (const { name, storage } of spec.versions ?? []) {
    const isStored = missing.delete(name);
    if (storage && !isStored) errors.push(invalidValue(path, stored, `must have the storage version ${name}`));
  }
  for (const [name, index] of missing) {
    const detail =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
      `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${path}[${index}]`, name, detail));
  }
  return errors;
}
