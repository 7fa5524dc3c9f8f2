import { type FieldError, invalidValue } from '../../api/index.ts';
import type { Steps } from '../../base/index.ts';
import { checkColumn, checkSubresources } from './check-columns.ts';
import { checkSchema } from './check-schema.ts';
import { checkSelectableFields } from './check-selectable-fields.ts';
import type { CheckWork } from './check-work.ts';
import { hasStatus, type HubSpec, type HubVersion } from './hub-definition.ts';
import type { Ratchets } from './ratchets.ts';
import { structuralFormProblem } from './structural-form.ts';
import { pointerValue } from './unversioned-values.ts';

/** What is wrong with one version, apart from its name. */
export function* checkVersion(
  version: HubVersion,
  path: string,
  { spec, ratchets, work }: { readonly spec: HubSpec; readonly ratchets: Ratchets; readonly work: CheckWork },
): Steps<FieldError[]> {
  const { schema, selectableFields = [] } = version;
  const isUnchanged = ratchets.unchangedVersions.has(version.name);
  return [
    ...checkDeprecation(version, `${path}.deprecationWarning`),
    ...(yield* checkSchema(schema, {
      path: `${path}.schema`,
      hasStatus: hasStatus(spec, version),
      ratchets,
      isUnchanged,
      work,
    })),
    ...checkSubresources(version.subresources, `${path}.subresources`),
    ...(version.additionalPrinterColumns ?? []).flatMap((column, index) =>
      checkColumn(column, `${path}.additionalPrinterColumns[${index}]`),
    ),
    ...(selectableFields.length === 0 ? [] : checkFields(version, path, ratchets)),
  ];
}

function checkFields(
  { name, schema, selectableFields = [] }: HubVersion,
  path: string,
  ratchets: Ratchets,
): FieldError[] {
  const own = schema?.openAPIV3Schema;
  if (own === undefined) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [invalidValue(`${path}.selectableFields`, '', detail)];
  }
  const problem = structuralFormProblem(own);
  return [
    ...(problem === undefined ? [] : [invalidValue(`${path}.schema.openAPIV3Schema`, '', problem)]),
    ...checkSelectableFields(selectableFields, own, {
      path: `${path}.selectableFields`,
      isCrowdedAllowed: ratchets.crowdedVersions.has(name),
    }),
  ];
}

const MAX_WARNING_BYTES = 256;
/** Characters that Go does not call printable. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function checkDeprecation({ deprecated, deprecationWarning: text }: HubVersion, path: string): FieldError[] {
  if (text === undefined) return [];
  const wrong = (detail: string): FieldError => invalidValue(path, pointerValue(text), detail);
  if (deprecated !== true) return [wrong('can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > MAX_WARNING_BYTES)
    errors.push(wrong(`must be <= ${MAX_WARNING_BYTES} characters long`));
  if (text === '') errors.push(wrong('must not be an empty string'));
  const index = text.search(UNPRINTABLE);
  if (index >= 0) {
    const at = Buffer.byteLength(text.slice(0, index));
    errors.push(wrong(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`));
  }
  return errors;
}
