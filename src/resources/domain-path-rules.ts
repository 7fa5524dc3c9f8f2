import { domainPrefixedPathProblems, type FieldError, invalidValue, required } from '../api/index.ts';

/** A domain and a path below it, such as `example.com/controller`; each part is quoted by itself. */
export function checkDomainPath(value: string, field: string): FieldError[] {
  return domainPrefixedPathProblems(value).map((found) =>
    found.type === 'Required' ? required(field) : invalidValue(field, found.value, found.detail),
  );
}
