import {
  configMapKeyProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  invalidValue,
  maskTrailingDash,
  relaxedEnvVarNameProblems,
  required,
} from '../../api/index.ts';
import type { EnvFromSource, EnvVar, FileKeySelector } from '../../api/types/core/v1.d.ts';
import { checkFieldRef, checkResourceFieldRef, FIELDS_OF_ENV } from './downward-rules.ts';
import { checkNoBacksteps } from './path-rules.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

/** Environment variables and their sources. */
export function checkEnv(variables: readonly EnvVar[], field: string): FieldError[] {
  return variables.flatMap((variable, index) => [
    ...checkVariableName(variable.name ?? '', `${field}[${index}].name`),
    ...checkValueFrom(variable, `${field}[${index}].valueFrom`),
  ]);
}

function checkVariableName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  return relaxedEnvVarNameProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkValueFrom({ value = '', valueFrom }: EnvVar, field: string): FieldError[] {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const errors = [
    ...(fieldRef === undefined ? [] : checkFieldRef(fieldRef, `${field}.fieldRef`, FIELDS_OF_ENV)),
    ...(resourceFieldRef === undefined
      ? []
      : checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { namesContainer: false })),
    ...(configMapKeyRef === undefined ? [] : checkKey(configMapKeyRef, `${field}.configMapKeyRef`)),
    ...(secretKeyRef === undefined ? [] : checkKey(secretKeyRef, `${field}.secretKeyRef`)),
    ...(fileKeyRef === undefined ? [] : checkFileKey(fileKeyRef, `${field}.fileKeyRef`)),
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

/** A key of a ConfigMap or Secret. */
function checkKey(
  { name = '', key = '' }: { readonly name?: string; readonly key?: string },
  field: string,
): FieldError[] {
  return [
    ...dns1123SubdomainProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem)),
    ...(key === ''
      ? [required(`${field}.key`)]
      : configMapKeyProblems(key).map((problem) => invalidValue(`${field}.key`, key, problem))),
  ];
}

function checkFileKey({ key = '', volumeName = '', path = '' }: FileKeySelector, field: string): FieldError[] {
  return [
    ...checkVariableName(key, `${field}.key`),
    ...(volumeName === ''
      ? [required(`${field}.volumeName`)]
      : dns1123LabelProblems(volumeName).map((problem) => invalidValue(`${field}.volumeName`, volumeName, problem))),
    ...(path === '' ? [required(`${field}.path`)] : checkNoBacksteps(path, `${field}.path`)),
  ];
}

/** Objects whose keys all become variables; problems of their number are reported at the list. */
export function checkEnvFrom(sources: readonly EnvFromSource[], field: string): FieldError[] {
  return sources.flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`;
    const errors = prefix === '' ? [] : checkVariableName(prefix, `${at}.prefix`);
    if (configMapRef !== undefined) errors.push(...checkSourceName(configMapRef.name ?? '', `${at}.configMapRef.name`));
    if (secretRef !== undefined) errors.push(...checkSourceName(secretRef.name ?? '', `${at}.secretRef.name`));
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });
}

/** Upstream takes the name for the prefix of one. */
function checkSourceName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  return dns1123SubdomainProblems(maskTrailingDash(name)).map((problem) => invalidValue(field, name, problem));
}
