import { configMapKeyProblems, type FieldError, forbiddenField, invalidValue, tooLong } from '../../api/index.ts';
import type { ConfigMap } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';

/** How much the values of a ConfigMap or a Secret may hold together. */
export const MAX_VALUE_BYTES = 1024 * 1024;

export function checkConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    const field = `data[${key}]`;
    for (const problem of configMapKeyProblems(key)) errors.push(invalidValue(field, key, problem));
    if (Object.hasOwn(binaryData, key)) errors.push(invalidValue(field, key, 'duplicate of key present in binaryData'));
    bytes += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    for (const problem of configMapKeyProblems(key)) errors.push(invalidValue(`binaryData[${key}]`, key, problem));
    bytes += decodedLength(value);
  }
  if (bytes > MAX_VALUE_BYTES) errors.push(tooLong('[]', MAX_VALUE_BYTES)); // the object as a whole, as upstream prints it
  return errors;
}

/** How many bytes base64 text stands for. */
export function decodedLength(text: string): number {
  return Buffer.byteLength(text, 'base64');
}

/** What is marked immutable stays as it is, the mark too. */
export function checkConfigMapUpdate(object: ConfigMap, old: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (old.immutable !== true) return checkConfigMap(object);
  const detail = 'field is immutable when `immutable` is set';
  if (object.immutable !== true) errors.push(forbiddenField('immutable', detail));
  if (!deepEqual(object.data ?? {}, old.data ?? {})) errors.push(forbiddenField('data', detail));
  if (!deepEqual(object.binaryData ?? {}, old.binaryData ?? {})) errors.push(forbiddenField('binaryData', detail));
  return [...errors, ...checkConfigMap(object)];
}
