import { type FieldError, invalidValue, qualifiedNameProblems, required, tooLong } from '../../api/index.ts';

const MAX_BYTES = 256 * 1024;

/** Annotations that a pod's author has for the signer of its certificate: each key has a domain, in any case of letters. */
export function checkUserAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const errors = Object.keys(annotations).flatMap((key) => checkPrefixedKey(key.toLowerCase(), field));
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes > MAX_BYTES ? [...errors, tooLong(field, MAX_BYTES)] : errors;
}

function checkPrefixedKey(key: string, field: string): FieldError[] {
  if (key === '') return [required(field)];
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) return problems.map((problem) => invalidValue(field, key, problem));
  if (key.split('/').length === 2) return [];
  return [invalidValue(field, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}
