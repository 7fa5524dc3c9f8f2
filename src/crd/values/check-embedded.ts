import {
  checkObjectMeta,
  type FieldError,
  invalidValue,
  type ObjectMeta,
  required,
  type Shape,
  ShapeSearch,
} from '../../api/index.ts';
import { dns1035LabelProblems } from '../../api/values/index.ts';

/** Problems of the embedded objects, each of which needs apiVersion, kind and metadata. */
export function checkEmbedded(value: unknown, shape: Shape, path = ''): readonly FieldError[] {
  if (typeof value !== 'object' || value === null || !embedded.has(shape)) return NO_ERRORS;
  if (Array.isArray(value)) {
    if (shape.kind !== 'list') return NO_ERRORS;
    return value.flatMap((item, index) => checkEmbedded(item, shape.element, `${path}[${index}]`));
  }
  const members = value as Members;
  const errors = shape.constraints?.isEmbedded === true ? checkObject(members, path) : [];
  for (const name of Object.keys(members)) {
    if (shape.kind === 'map') {
      errors.push(...checkEmbedded(members[name], shape.value, `${path}[${name}]`));
    } else {
      const field = shape.kind === 'struct' ? shape.struct.field(name) : undefined;
      if (field !== undefined) errors.push(...checkEmbedded(members[name], field.shape, childPath(path, name)));
    }
  }
  return errors;
}

type Members = Readonly<Record<string, unknown>>;

const NO_ERRORS: readonly FieldError[] = [];
const embedded = new ShapeSearch(({ constraints }) => constraints?.isEmbedded === true);

function checkObject(object: Members, path: string): FieldError[] {
  const { apiVersion, kind, metadata } = object;
  return [
    ...checkText(apiVersion, `${path}.apiVersion`, (text) =>
      text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [],
    ),
    ...checkText(kind, `${path}.kind`, (text) => {
      const problems = dns1035LabelProblems(text.toLowerCase());
      if (problems.length === 0) return [];
      return [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
    }),
    ...(metadata === undefined ? [] : checkMetadata(metadata, `${path}.metadata`)),
  ];
}

function checkText(text: unknown, path: string, problemsOf: (text: string) => readonly string[]): FieldError[] {
  if (text === undefined) return [required(path)];
  if (typeof text !== 'string') return [invalidValue(path, text, 'must be a string')];
  if (text === '') return [invalidValue(path, text, 'must not be empty')];
  return problemsOf(text).map((problem) => invalidValue(path, text, problem));
}

/** An embedded object need not have a name, and may have a namespace or not. */
function checkMetadata(value: unknown, path: string): FieldError[] {
  const metadata = readable(value);
  const { name = '', namespace = '' } = metadata;
  return checkObjectMeta(name === '' ? { ...metadata, name: 'unnamed' } : metadata, {
    namespaced: namespace !== '',
    path,
  });
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isListOf = (value: unknown, isIt: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isIt);
const hasOnly = (value: unknown, isIt: (item: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isIt);

function isReference(value: unknown): boolean {
  const { controller: _1, blockOwnerDeletion: _2, ...texts } = (value ?? {}) as Members;
  return hasOnly(texts, isText);
}

/** The types that members of metadata must have for rules about them. */
const READABLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isText,
  generateName: isText,
  namespace: isText,
  generation: (value) => typeof value === 'number',
  labels: (value) => hasOnly(value, isText),
  annotations: (value) => hasOnly(value, isText),
  finalizers: (value) => isListOf(value, isText),
  ownerReferences: (value) => isListOf(value, isReference),
  managedFields: (value) => isListOf(value, (item) => hasOnly(item, (part) => part !== null)),
};

/** The metadata of a default has not been decoded, so it may be anything. */
function readable(metadata: unknown): ObjectMeta {
  const members = Object.entries((metadata ?? {}) as object);
  return Object.fromEntries(members.filter(([name, value]) => READABLE[name]?.(value) === true));
}

function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
