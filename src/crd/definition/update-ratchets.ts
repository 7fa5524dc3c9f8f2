import { collectErrors } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import { caBundleProblem } from './ca-bundle.ts';
import { isRecognizedReview } from './check-conversion.ts';
import { hasUnprunedDefaults } from './check-defaults.ts';
import type { Definition, Schema } from './definition.ts';
import { type HubSpec, hubSpec, schemaOfVersion, schemasOf } from './hub-definition.ts';
import { innerSchemas, someSchema } from './inner-schemas.ts';
import { hasMapKeyErrors, hasSplitSet, SCHEMA_TYPES } from './list-type-rules.ts';
import { structuralFormProblem } from './structural-form.ts';
import { structuralErrors } from './structural-rules.ts';
import type { Ratchets } from './ratchets.ts';
import { MAX_SELECTABLE_FIELDS } from './check-selectable-fields.ts';

/** What an update need not mend, because the old definition had it already. */
export function updateRatchets(definition: Definition, old: Definition): Ratchets {
  const spec = hubSpec(definition.spec);
  const was = hubSpec(old.spec);
  const schemas = schemasOf(was);
  const none = (holds: (schema: Schema) => boolean): boolean => !schemas.some((schema) => someSchema(schema, holds));
  const { storedRules, storedMessages } = expressionsOf(schemas);
  const { conversion } = was;
  const isEstablished = isConditionTrue(old, 'Established');
  return {
    requiresRecognizedReview:
      conversion === undefined ||
      conversion.reviewVersions.length === 0 ||
      conversion.reviewVersions.some(isRecognizedReview),
    requiresSameNames: isEstablished,
    requiresSchema:
      was.shared.schema?.openAPIV3Schema !== undefined ||
      was.versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    requiresKnownTypes: none(({ type = '' }) => type !== '' && !SCHEMA_TYPES.includes(type)),
    requiresStructural: !schemas.some((schema) => isNotStructural(schema)),
    requiresPrunedDefaults: !schemas.some((schema) => !isNotStructural(schema) && hasUnprunedDefaults(schema)),
    requiresAtomicSetItems: none(hasSplitSet),
    requiresMapKeys: none(hasMapKeyErrors),
    requiresCaBundle: isEstablished && !hasBrokenBundle(was),
    allowsDefaults: true,
    storedRules,
    storedMessages,
    unchangedVersions: unchangedVersions(spec, was),
    crowdedVersions: crowdedVersions(spec, was),
  };
}

export function isConditionTrue({ status }: Definition, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

export function isNotStructural(schema: Schema): boolean {
  if (structuralFormProblem(schema) !== undefined) return true;
  return collectErrors(() => structuralErrors(schema, '')).length > 0;
}

function expressionsOf(schemas: readonly Schema[]): Pick<Ratchets, 'storedRules' | 'storedMessages'> {
  const storedRules = new Set<string>();
  const storedMessages = new Set<string>();
  const collect = (schema: Schema): void => {
    for (const { rule, messageExpression } of schema['x-kubernetes-validations'] ?? []) {
      storedRules.add(rule ?? '');
      if (messageExpression !== undefined) storedMessages.add(messageExpression);
    }
    for (const inner of innerSchemas(schema)) collect(inner);
  };
  for (const schema of schemas) collect(schema);
  return { storedRules, storedMessages };
}

function unchangedVersions(spec: HubSpec, was: HubSpec): ReadonlySet<string> {
  const names = spec.versions.map(({ name }) => name);
  const known = new Set(was.versions.map(({ name }) => name));
  return new Set(
    names.filter((name) => known.has(name) && deepEqual(schemaOfVersion(spec, name), schemaOfVersion(was, name))),
  );
}

function crowdedVersions(spec: HubSpec, was: HubSpec): ReadonlySet<string> {
  const isCrowded = (now: HubSpec['shared'] | undefined, before: HubSpec['shared'] | undefined): boolean =>
    (before?.selectableFields ?? []).length > MAX_SELECTABLE_FIELDS &&
    deepEqual(now?.selectableFields, before?.selectableFields);
  const names = spec.versions.filter((version) =>
    isCrowded(
      version,
      was.versions.find(({ name }) => name === version.name),
    ),
  );
  return new Set([...(isCrowded(spec.shared, was.shared) ? [''] : []), ...names.map(({ name }) => name)]);
}

function hasBrokenBundle({ conversion }: HubSpec): boolean {
  const { caBundle = '' } = conversion?.clientConfig ?? {};
  return caBundle !== '' && caBundleProblem(caBundle) !== undefined;
}
