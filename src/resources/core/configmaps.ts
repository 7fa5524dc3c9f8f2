import { configMapKeyProblems, type FieldError, forbiddenField, invalidValue, tooLong } from '../../api/index.ts';
import type { ConfigMap } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, countOf, nameColumn } from '../columns/column.ts';
import { defineKind } from '../kind.ts';

export const configMaps = defineKind<ConfigMap>({
  changeSteps: ['metadataChange', 'change', 'metadata', 'object'],
  group: '',
  plural: 'configmaps',
  columns: [
    nameColumn,
    column('Data', 'How many entries it has', ({ data, binaryData }) => countOf(data) + countOf(binaryData)),
    ageColumn,
  ],
  validate: checkConfigMap,
  validateChange: checkConfigMapUpdate,
});

/** Maximum total size of the values of a ConfigMap or Secret. */
export const MAX_VALUE_BYTES = 1024 * 1024;

function checkConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  const keys = Object.keys(data); // listed once: in a large map this takes as long as everything else
  for (const key of keys) {
    for (const problem of configMapKeyProblems(key)) errors.push(invalidValue(`data[${key}]`, key, problem));
    if (Object.hasOwn(binaryData, key))
      errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
  }
  let binaryBytes = 0;
  for (const [key, value] of Object.entries(binaryData)) {
    for (const problem of configMapKeyProblems(key)) errors.push(invalidValue(`binaryData[${key}]`, key, problem));
    binaryBytes += decodedLength(value);
  }
  if (bytesOf(data, keys, MAX_VALUE_BYTES - binaryBytes) + binaryBytes > MAX_VALUE_BYTES)
    errors.push(tooLong('[]', MAX_VALUE_BYTES)); // the object as a whole, as upstream prints it
  return errors;
}

/**
 * The total bytes of all values, or a higher estimate below the limit. A character has at most three bytes, so few texts
 * have to be measured.
 */
function bytesOf(data: Readonly<Record<string, string>>, keys: readonly string[], limit: number): number {
  let most = 0;
  for (const key of keys) most += 3 * (data[key] as string).length;
  if (most <= limit) return most;
  let bytes = 0;
  for (const key of keys) bytes += Buffer.byteLength(data[key] as string);
  return bytes;
}

/** The number of bytes that base64 text encodes. */
export function decodedLength(text: string): number {
  return Buffer.byteLength(text, 'base64');
}

/** An immutable object stays unchanged, including its mark. */
function checkConfigMapUpdate(object: ConfigMap, old: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (old.immutable !== true) return errors;
  const detail = 'field is immutable when `immutable` is set';
  if (object.immutable !== true) errors.push(forbiddenField('immutable', detail));
  if (!deepEqual(object.data ?? {}, old.data ?? {})) errors.push(forbiddenField('data', detail));
  if (!deepEqual(object.binaryData ?? {}, old.binaryData ?? {})) errors.push(forbiddenField('binaryData', detail));
  return errors;
}
