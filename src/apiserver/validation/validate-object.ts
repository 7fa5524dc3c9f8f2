import {
  type ApiObject,
  checkChangedObjectMeta,
  checkObjectMeta,
  checkObjectMetaUpdate,
  collectErrors,
  collectingErrors,
  type FieldError,
  internalField,
  invalidValue,
  sentEmpty,
  type Shape,
  type Struct,
} from '../../api/index.ts';
import { allAtOnce, deepEqual, type Steps } from '../../base/index.ts';
import { checkCustomObject, compilingRules } from '../../crd/index.ts';
import type { ChangeStep, Resource, Strategy, WriteContext } from '../resource.ts';
import { checkTyped } from './typed-values.ts';

/** All errors of an object that is to be created, synchronously. */
export function newObjectProblems(object: ApiObject, resource: Resource, context: WriteContext): readonly FieldError[] {
  return collectErrors(() => allAtOnce(newObjectErrors(object, resource, context)));
}

/** The same in steps: metadata, the rules of the type, the rules of the kind. */
export function validateNewObject(
  object: ApiObject,
  resource: Resource,
  context: WriteContext,
): Steps<readonly FieldError[]> {
  return collectingErrors(newObjectErrors(object, resource, context));
}

function* newObjectErrors(
  object: ApiObject,
  { strategy, namespaced, type }: Resource,
  context: WriteContext,
): Steps<readonly FieldError[]> {
  const { validate, validateInSteps, metadataRules = 'own' } = strategy;
  const checkName = nameRule(strategy, object);
  const meta =
    metadataRules === 'general'
      ? []
      : [
          ...checkObjectMeta(object.metadata, { namespaced, checkName }),
          ...(strategy.validateMetadata?.(object) ?? []),
        ];
  yield;
  const quick = validate?.(object, context) ?? [];
  yield;
  const own = validateInSteps === undefined ? quick : [...quick, ...(yield* validateInSteps(object, undefined))];
  if (type.isStructural !== true) {
    const found = combined(checkTyped(object, strategy.checkedForm?.values ?? type), own, strategy);
    const errors = meta.concat(found);
    if (errors.length > 0 || metadataRules === 'own') return errors;
    return checkObjectMeta(object.metadata, { namespaced });
  }
  yield* compilingRules(type) ?? NOTHING;
  return [...meta, ...checkCustomObject(object, type, { found: meta, own, warn: (text) => context.warn(text) })];
}

const NOTHING: readonly never[] = [];

function anyName(): readonly never[] {
  return NOTHING;
}

/** The kind's own rule for names, where its own checks apply it. */
function nameRule(strategy: Strategy, object: ApiObject): Strategy['checkName'] {
  const { metadataRules } = strategy;
  if (metadataRules === 'own except names') return anyName;
  const checkName = ownNameRule(strategy, object);
  if (metadataRules !== 'own except prefixes' || checkName === undefined) return checkName;
  return (name, options) => (options.prefix ? NOTHING : checkName(name, options));
}

function ownNameRule({ checkName, checkNameOf }: Strategy, object: ApiObject): Strategy['checkName'] {
  return checkNameOf === undefined ? checkName : checkNameOf(object);
}

interface ChangeRules {
  readonly resource: Resource;
  readonly strategy: Strategy;
  readonly context: WriteContext;
}

/** All errors of a change, synchronously. */
export function changedObjectProblems(object: ApiObject, old: ApiObject, rules: ChangeRules): readonly FieldError[] {
  return collectErrors(() => allAtOnce(changeErrors(object, old, rules)));
}

/** The same in steps. */
export function validateChangedObject(
  object: ApiObject,
  old: ApiObject,
  rules: ChangeRules,
): Steps<readonly FieldError[]> {
  return collectingErrors(changeErrors(object, old, rules));
}

function* changeErrors(object: ApiObject, old: ApiObject, rules: ChangeRules): Steps<readonly FieldError[]> {
  const { resource, strategy, context } = rules;
  const { namespaced } = resource;
  const own = resource.strategy;
  const checkName = own.metadataRules === 'own except prefixes' ? nameRule(own, object) : ownNameRule(own, object);
  const meta = checkObjectMeta(object.metadata, { namespaced, checkName });
  const metaUpdate = checkObjectMetaUpdate(object.metadata, old.metadata);
  yield;
  const quick = strategy.validateUpdate?.(object, old, context) ?? [];
  yield;
  const found =
    strategy.validateInSteps === undefined ? quick : [...quick, ...(yield* strategy.validateInSteps(object, old))];
  if (resource.type.isStructural === true) {
    yield* compilingRules(resource.type) ?? NOTHING;
    const again = [...metaUpdate, ...checkChangedObjectMeta(object.metadata)];
    return [...meta, ...again, ...again, ...customChangeErrors(object, old, { rules, found: again, own: found })];
  }
  const steps = strategy.changeSteps ?? CHANGE_STEPS;
  const ofChange = strategy.validateChange?.(object, old, context) ?? [];
  const isSaid = ({ field, reason }: FieldError): boolean =>
    ofChange.some((said) => said.field === field && said.reason === reason);
  const immutable = checkImmutable(object, old, resource).filter((error) => !isSaid(error));
  // Metadata without a problem that keeps the name it is stored under has none by the two looser checks either.
  const isMetaFine = meta.length + metaUpdate.length === 0;
  const metadataChange = isMetaFine ? meta : [...metaUpdate, ...checkChangedObjectMeta(object.metadata)];
  const ofMetadata = strategy.validateMetadata?.(object) ?? [];
  const errors: Readonly<Record<ChangeStep, readonly FieldError[]>> = {
    metadata: [...meta, ...ofMetadata],
    metadataChange: [...metadataChange, ...ofMetadata],
    object: combined(checkTyped(object, own.checkedForm?.values ?? resource.type, old), found, strategy),
    change: combined(immutable, ofChange, strategy),
  };
  // Upstream checks the metadata of every kind first, and again among the kind's own rules, and reports the errors of both.
  const isCheckedWhole = isMetaFine && own.metadataRules !== 'own except prefixes';
  const ofAllKinds = isCheckedWhole ? meta : checkObjectMeta(object.metadata, { namespaced });
  return ofAllKinds.concat(
    metadataChange,
    steps.flatMap((step) => errors[step]),
  );
}

const CHANGE_STEPS: readonly ChangeStep[] = ['metadataChange', 'object', 'change'];

interface Found {
  readonly rules: ChangeRules;
  /** The errors of the metadata. */
  readonly found: readonly FieldError[];
  /** The errors of the kind's own rules. */
  readonly own: readonly FieldError[];
}

function customChangeErrors(object: ApiObject, old: ApiObject, { rules, ...known }: Found): readonly FieldError[] {
  const { resource, context } = rules;
  const isStatus = context.subresource === 'status';
  return checkCustomObject(object, resource.type, { old, isStatus, ...known, warn: (text) => context.warn(text) });
}

function combined(
  table: readonly FieldError[],
  own: readonly FieldError[],
  { combineErrors }: Strategy,
): readonly FieldError[] {
  if (table.length + own.length === 0) return [];
  return combineErrors === undefined ? [...table, ...own] : combineErrors(table, own);
}

/** The errors of an object's values by the rules of its type, with the messages for that kind of type. */
export function checkValues(object: ApiObject, type: Struct): readonly FieldError[] {
  return type.isStructural === true ? checkCustomObject(object, type) : checkTyped(object, type);
}

/** Fields marked `immutable` that an update changes. */
function checkImmutable(object: ApiObject, old: ApiObject, { type, strategy }: Resource): FieldError[] {
  const errors: FieldError[] = [];
  const { checkedForm: form } = strategy;
  if (form === undefined) compare(object, old, { type, path: '', errors });
  else compare(form.of(object), form.of(old), { type: form.type, path: '', errors });
  return errors;
}

interface Comparison {
  readonly type: Struct;
  readonly path: string;
  readonly errors: FieldError[];
}

function compare(
  value: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>>,
  { type, path, errors }: Comparison,
): void {
  for (const field of type.fields) {
    const now = value[field.name];
    const was = old[field.name];
    if (now === was) continue;
    const at = path === '' ? field.name : `${path}.${field.name}`;
    if (field.immutable) {
      if (!isSame(now, was, field.shape))
        errors.push(invalidValue(at, internalField(now ?? sentEmpty(value, field.name), field), 'field is immutable'));
    } else if (field.shape.kind === 'struct' && isRecord(now) && isRecord(was)) {
      compare(now, was, { type: field.shape.struct, path: at, errors });
    }
  }
}

function isSame(now: unknown, was: unknown, shape: Shape): boolean {
  return deepEqual(now, was) || deepEqual(withoutEmptyBytes(now, shape), withoutEmptyBytes(was, shape));
}

/** Bytes that are sent empty are equal to none. */
function withoutEmptyBytes(value: unknown, shape: Shape): unknown {
  if (shape.kind === 'scalar') return shape.scalar === 'bytes' && value === '' ? null : value;
  if (shape.kind !== 'struct' || !isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const field = shape.struct.field(name);
    return [name, field === undefined ? member : withoutEmptyBytes(member, field.shape)];
  });
  return Object.fromEntries(members);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
