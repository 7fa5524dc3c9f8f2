import { collectErrors } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import { caBundleProblem } from './ca-bundle.ts';
import { isRecognizedReview } from './check-conversion.ts';
import { hasUnprunedDefaults } from './check-defaults.ts';
import { CheckWork } from './check-work.ts';
import type { Definition, Schema } from './definition.ts';
import { type HubSpec, hubSpec, type HubVersion, schemasOf } from './hub-definition.ts';
import { innerSchemas, someSchema } from './inner-schemas.ts';
import { hasMapKeyErrors, hasSplitSet, SCHEMA_TYPES } from './list-type-rules.ts';
import { structuralFormProblem } from './structural-form.ts';
import { structuralErrors } from './structural-rules.ts';
import { newDefinitionRatchets, type Ratchets } from './ratchets.ts';
import { MAX_SELECTABLE_FIELDS } from './check-selectable-fields.ts';

/** What an update need not fix, because the old definition had it already. */
export function updateRatchets(definition: Definition, old: Definition): Ratchets {
  const spec = hubSpec(definition.spec);
  const was = hubSpec(old.spec);
  const schemas = schemasOf(was);
  const work = new CheckWork(); // a separate budget: what is stored was within it
  const broken = new Set(schemas.filter((schema) => isNotStructural(schema, work)));
  const none = (holds: (schema: Schema) => boolean): boolean => !schemas.some((schema) => someSchema(schema, holds));
  const { storedRules, storedMessages } = expressionsOf(schemas);
  const { conversion } = was;
  const isEstablished = isConditionTrue(old, 'Established');
  return {
    ...newDefinitionRatchets,
    requiresRecognizedReview:
      conversion === undefined ||
      conversion.reviewVersions.length === 0 ||
      conversion.reviewVersions.some(isRecognizedReview),
    requiresSameNames: isEstablished,
    requiresSchema:
      was.shared.schema?.openAPIV3Schema !== undefined ||
      was.versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    requiresKnownTypes: none(({ type = '' }) => type !== '' && !SCHEMA_TYPES.includes(type)),
    requiresStructural: broken.size === 0,
    requiresPrunedDefaults: !schemas.some((schema) => !broken.has(schema) && hasUnprunedDefaults(schema)),
    requiresAtomicSetItems: none(hasSplitSet),
    requiresMapKeys: none(hasMapKeyErrors),
    requiresCaBundle: isEstablished && !hasBrokenBundle(was),
    storedRules,
    storedMessages,
    unchangedVersions: unchangedVersions(spec, was),
    crowdedVersions: crowdedVersions(spec, was),
  };
}

export function isConditionTrue({ status }: Definition, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

function isNotStructural(schema: Schema, work: CheckWork): boolean {
  if (structuralFormProblem(schema) !== undefined) return true;
  return collectErrors(() => structuralErrors(schema, '', work)).length > 0;
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
  const known = new Map(was.versions.map((version) => [version.name, version]));
  const isUnchanged = (version: HubVersion): boolean => {
    const before = known.get(version.name);
    if (before === undefined) return false;
    return deepEqual(spec.shared.schema ?? version.schema, was.shared.schema ?? before.schema);
  };
  return new Set(spec.versions.filter(isUnchanged).map(({ name }) => name));
}

function crowdedVersions(spec: HubSpec, was: HubSpec): ReadonlySet<string> {
  const isCrowded = (now: HubSpec['shared'], before: HubSpec['shared'] | undefined): boolean =>
    (before?.selectableFields ?? []).length > MAX_SELECTABLE_FIELDS &&
    deepEqual(now.selectableFields, before?.selectableFields);
  const known = new Map(was.versions.map((version) => [version.name, version]));
  const crowded = spec.versions.filter((version) => isCrowded(version, known.get(version.name)));
  return new Set([...(isCrowded(spec.shared, was.shared) ? [''] : []), ...crowded.map(({ name }) => name)]);
}

function hasBrokenBundle({ conversion }: HubSpec): boolean {
  const { caBundle = '' } = conversion?.clientConfig ?? {};
  return caBundle !== '' && caBundleProblem(caBundle) !== undefined;
}
