import { dns1123SubdomainProblems, invalidValue } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Container, EnvVar } from '../../api/types/core/v1.d.ts';
import { checkFieldRef, checkResourceFieldRef, FIELDS_OF_ENV } from './downward-rules.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

/** Where the values of variables come from. */
export function checkEnv(variables: readonly EnvVar[], field: string): FieldError[] {
  return variables.flatMap((variable, index) => checkValueFrom(variable, `${field}[${index}].valueFrom`));
}

function checkValueFrom({ value = '', valueFrom }: EnvVar, field: string): FieldError[] {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const errors = [
    ...(fieldRef === undefined ? [] : checkFieldRef(fieldRef, `${field}.fieldRef`, FIELDS_OF_ENV)),
    ...(resourceFieldRef === undefined
      ? []
      : checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { namesContainer: false })),
    ...(configMapKeyRef === undefined ? [] : checkGiven(configMapKeyRef.name, `${field}.configMapKeyRef.name`)),
    ...(secretKeyRef === undefined ? [] : checkGiven(secretKeyRef.name, `${field}.secretKeyRef.name`)),
  ];
  const count = SOURCES.filter((name) => valueFrom[name] !== undefined).length;
  if (count === 0) {
    const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [...errors, invalidValue(field, '', `must specify one of: ${names}`)];
  }
  if (value !== '') return [...errors, invalidValue(field, '', 'may not be specified when `value` is not empty')];
  if (count === 1) return errors;
  return [...errors, invalidValue(field, '', 'may not have more than one field specified at a time')];
}

/** A name that is left out is not a name either; what else is wrong with one the type says. */
function checkGiven(name: string | undefined, field: string): FieldError[] {
  if ((name ?? '') !== '') return [];
  return dns1123SubdomainProblems('').map((problem) => invalidValue(field, '', problem));
}

export function checkEnvFrom({ envFrom = [] }: Container, field: string): FieldError[] {
  return envFrom.flatMap(({ configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`;
    const errors = [
      ...(configMapRef === undefined ? [] : checkGiven(configMapRef.name, `${at}.configMapRef.name`)),
      ...(secretRef === undefined ? [] : checkGiven(secretRef.name, `${at}.secretRef.name`)),
    ];
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });
}
