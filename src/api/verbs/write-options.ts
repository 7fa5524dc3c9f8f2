import { type FieldError, forbiddenField, invalidValue, notSupported, required, tooLong } from '../field-error.ts';
import type { FieldValidation } from '../json/index.ts';
import { invalid } from '../status.ts';
import { booleanParameter, type Query } from './query.ts';

/** Query options of the writing verbs. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Apply only. */
  readonly force: boolean | undefined;
}

type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

/** Parses and checks the options of a create, update or patch; one failure lists all problems. */
export function writeOptions(query: Query, kind: WriteOptionsKind, isApply = false): WriteOptions {
  if (query.text === '' && !isApply) return NO_OPTIONS;
  const dryRun = query.all('dryRun');
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  const force = query.has('force') ? booleanParameter(query, 'force') : undefined;
  const errors: FieldError[] = [];
  if (kind === 'PatchOptions') {
    if (isApply && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
    if (!isApply && force !== undefined) {
      errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
    }
  }
  errors.push(...checkFieldManager(fieldManager), ...checkDryRun(dryRun));
  if (!FIELD_VALIDATIONS.has(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', resource: kind }, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force,
  };
}

const NO_OPTIONS: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: undefined };

const FIELD_VALIDATIONS = new Set(['', 'Ignore', 'Strict', 'Warn']);
const MAX_FIELD_MANAGER_BYTES = 128;

function checkFieldManager(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > MAX_FIELD_MANAGER_BYTES) return [tooLong('fieldManager', MAX_FIELD_MANAGER_BYTES)];
  let position = 0;
  for (const character of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      return [invalidValue('fieldManager', manager, `invalid character U+${code} (at position ${position})`)];
    }
    position += Buffer.byteLength(character);
  }
  return [];
}

/** `dryRun` may only be All. */
export function checkDryRun(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];
}
