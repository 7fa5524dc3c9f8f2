import { dns1123SubdomainProblems, type FieldError, invalidValue, required } from '../../api/index.ts';
import type { Steps } from '../../base/index.ts';
import { checkColumn, checkSubresources } from './check-columns.ts';
import { checkChoice, checkConversion } from './check-conversion.ts';
import { checkNames, labelErrors } from './check-names.ts';
import { checkSchema } from './check-schema.ts';
import { checkSelectableFields } from './check-selectable-fields.ts';
import { checkVersion } from './check-version.ts';
import type { CheckWork } from './check-work.ts';
import type { Schema } from './definition.ts';
import { hasStatus, type HubSpec, schemasOf } from './hub-definition.ts';
import { someSchema } from './inner-schemas.ts';
import type { Ratchets } from './ratchets.ts';
import { structuralFormProblem } from './structural-form.ts';
import { printedVersions } from './unversioned-values.ts';

/** Everything wrong with a definition's spec, in the order of upstream's checks. */
export function* checkSpec(spec: HubSpec, given: Ratchets, work: CheckWork): Steps<FieldError[]> {
  const hasDefaults = given.allowsDefaults && hasSchemaWith(spec, (schema) => (schema.default ?? null) !== null);
  const isStructural = !spec.preservesUnknown || hasDefaults || hasSchemaWith(spec, hasExtensions);
  const ratchets: Ratchets = isStructural ? { ...given, requiresStructural: true } : given;
  const before = [
    ...checkGroup(spec.group),
    ...checkChoice(spec.scope, ['Cluster', 'Namespaced'], 'spec.scope'),
    ...checkSchemasGiven(spec, ratchets),
    ...(hasDefaults && spec.preservesUnknown
      ? [invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
      : []),
  ];
  const versions: FieldError[] = [];
  for (const [index, version] of spec.versions.entries()) {
    versions.push(...labelErrors(version.name ?? '', `spec.versions[${index}].name`));
    versions.push(...(yield* checkVersion(version, `spec.versions[${index}]`, { spec, ratchets, work })));
  }
  return [
    ...before,
    ...versions,
    ...checkVersionList(spec),
    ...checkNamesGiven(spec),
    ...checkNames(spec.names, 'spec.names'),
    ...(yield* checkShared(spec, ratchets, work)),
    ...checkHubConversion(spec, ratchets),
  ];
}

function hasSchemaWith(spec: HubSpec, holds: (schema: Schema) => boolean): boolean {
  return schemasOf(spec).some((schema) => someSchema(schema, holds));
}

function hasExtensions(schema: Schema): boolean {
  return (
    schema['x-kubernetes-embedded-resource'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
    schema['x-kubernetes-int-or-string'] === true ||
    (schema['x-kubernetes-list-map-keys'] ?? []).length > 0 ||
    schema['x-kubernetes-list-type'] !== undefined ||
    (schema['x-kubernetes-validations'] ?? []).length > 0
  );
}

function checkGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalidValue('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function checkSchemasGiven(
  { shared, versions, preservesUnknown }: HubSpec,
  { requiresSchema }: Ratchets,
): FieldError[] {
  if (shared.schema?.openAPIV3Schema !== undefined || (!requiresSchema && preservesUnknown)) return [];
  return versions.flatMap(({ schema, served }, index) => {
    if (schema?.openAPIV3Schema !== undefined || (!requiresSchema && served !== true)) return [];
    const detail = requiresSchema ? '' : 'because otherwise all fields are pruned';
    return [required(`spec.versions[${index}].schema.openAPIV3Schema`, detail)];
  });
}

function checkVersionList(spec: HubSpec): FieldError[] {
  const { version, versions } = spec;
  const path = 'spec.versions';
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name ?? '')).size < versions.length)
    errors.push(invalidValue(path, printedVersions(spec), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    errors.push(invalidValue(path, printedVersions(spec), detail));
  }
  return version === '' ? errors : [...errors, ...labelErrors(version, 'spec.version')];
}

function checkNamesGiven({ names }: HubSpec): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => (names?.[name] ?? '') === '')
    .map((name) => required(`spec.names.${name}`));
}

/** What the versions have in common. */
function* checkShared(spec: HubSpec, ratchets: Ratchets, work: CheckWork): Steps<FieldError[]> {
  const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = spec.shared;
  return [
    ...(yield* checkSchema(schema, {
      path: 'spec.validation',
      hasStatus: hasStatus(spec),
      ratchets,
      isUnchanged: ratchets.unchangedVersions.has(spec.version),
      work,
    })),
    ...checkSubresources(subresources, 'spec.subresources'),
    ...additionalPrinterColumns.flatMap((column, index) =>
      checkColumn(column, `spec.additionalPrinterColumns[${index}]`),
    ),
    ...(selectableFields.length === 0 ? [] : checkSharedFields(spec, ratchets)),
  ];
}

function checkSharedFields({ shared }: HubSpec, ratchets: Ratchets): FieldError[] {
  const path = 'spec.selectableFields';
  if (shared.schema === undefined)
    return [invalidValue(path, '', 'may only be set when validations.schema is included')];
  const schema = shared.schema.openAPIV3Schema ?? {};
  const problem = structuralFormProblem(schema);
  return [
    ...(problem === undefined ? [] : [invalidValue('spec.schema.openAPIV3Schema', '', problem)]),
    ...checkSelectableFields(shared.selectableFields ?? [], schema, {
      path,
      isCrowdedAllowed: ratchets.crowdedVersions.has(''),
    }),
  ];
}

function checkHubConversion({ conversion, preservesUnknown }: HubSpec, ratchets: Ratchets): FieldError[] {
  if (conversion === undefined) return [];
  const detail = 'must be None if spec.preserveUnknownFields is true';
  return [
    ...(preservesUnknown && conversion.strategy !== 'None'
      ? [invalidValue('spec.conversion.strategy', conversion.strategy, detail)]
      : []),
    ...checkConversion(conversion, 'spec.conversion', ratchets),
  ];
}
