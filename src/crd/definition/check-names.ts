import { dns1035LabelProblems, type FieldError, invalidValue } from '../../api/index.ts';
import type { CustomResourceDefinitionNames } from '../../api/types/apiextensions/v1.d.ts';

/** Problems of the names' syntax; whether they are present is checked elsewhere. */
export function checkNames(names: CustomResourceDefinitionNames | undefined, path: string): FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names ?? {};
  return [
    ...checkLabel(plural, `${path}.plural`),
    ...checkLabel(singular, `${path}.singular`),
    ...checkKind(kind, `${path}.kind`),
    ...checkKind(listKind, `${path}.listKind`),
    ...shortNames.flatMap((name, index) => labelErrors(name, `${path}.shortNames[${index}]`)),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => labelErrors(name, `${path}.categories[${index}]`)),
  ];
}

function checkLabel(name: string, path: string): FieldError[] {
  return name === '' ? [] : labelErrors(name, path);
}

export function labelErrors(name: string, path: string): FieldError[] {
  const problems = dns1035LabelProblems(name);
  return problems.length === 0 ? [] : [invalidValue(path, name, problems.join(','))];
}

function checkKind(kind: string, path: string): FieldError[] {
  const problems = kind === '' ? [] : dns1035LabelProblems(kind.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [invalidValue(path, kind, detail)];
}
