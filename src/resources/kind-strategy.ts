import {
  type ApiObject,
  canonicalize,
  canonicalObject,
  type FieldError,
  keepAllSentEmpty,
  schemaPathOf,
  type Struct,
} from '../api/index.ts';
import type { KubernetesVersion } from '../base/index.ts';
import type { Strategy, WriteContext } from '../apiserver/index.ts';
import { arrange } from './arrange.ts';
import { fitIn } from './error-order.ts';
import type { Conversion, Kind, Whole } from './kind.ts';
import { subdomainName } from './name-rules.ts';
import { dropOffFeatures } from './off-features.ts';
import { checkFinalizerNames, setGeneration } from './object-meta.ts';
import { keepMetadata } from './status-metadata.ts';

/** What a strategy for one version of a kind is made from. */
export interface VersionOfKind {
  readonly kind: Kind;
  /** The type of the stored version, in which hooks see objects. */
  readonly storedType: Struct;
  /** The type in this version. */
  readonly type: Struct;
  /** Undefined if this version has the form of the stored one. */
  readonly conversion: Conversion | undefined;
  readonly hasStatus: boolean;
  /** The version of Kubernetes that is served. */
  readonly kubernetes: KubernetesVersion;
}

type Hook<A extends unknown[], R> = ((object: Whole<ApiObject>, ...rest: A) => R) | undefined;

/** How objects of one version of a kind are written: the common rules, and the kind's own. */
export function kindStrategy(version: VersionOfKind): Strategy {
  const { kind, hasStatus } = version;
  const blank = blankStatus(version);
  const isDropped = hasStatus && kind.statusOnCreate !== 'kept';
  const dropOff = dropOffFeatures(version.storedType, version.kubernetes);

  function prepareForCreate(object: ApiObject, context: WriteContext): void | Promise<void> {
    if (isDropped) setStatus(object, blank());
    dropOff?.(object);
    if (kind.raisesGeneration !== undefined && kind.generationStarts !== 'onUpdate') setGeneration(object, 1);
    if (kind.prepareForCreate === undefined) return;
    const preparing = kind.prepareForCreate(object, context);
    if (preparing instanceof Promise) return preparing.then(() => arrange(object, version.storedType));
    arrange(object, version.storedType);
  }

  async function prepareForUpdate(object: ApiObject, old: ApiObject, context: WriteContext): Promise<void> {
    if (hasStatus) setStatus(object, old['status']);
    dropOff?.(object, old);
    const isChangedAsSent = kind.countsDroppedFields === true && kind.raisesGeneration?.(object, old) === true;
    if (kind.prepareForUpdate !== undefined) {
      await kind.prepareForUpdate(object, old, context);
      arrange(object, version.storedType);
    }
    const isChanged =
      kind.countsDroppedFields === true ? isChangedAsSent : kind.raisesGeneration?.(object, old) === true;
    if (isChanged) setGeneration(object, (old.metadata.generation ?? 0) + 1);
  }

  return {
    ...fixedParts(version),
    applyDefaults: defaulting(version, kind.applyDefaults),
    prepareForCreate: (object, context) => changing(version, object, (own) => prepareForCreate(own, context)),
    prepareForUpdate: (object, old, context) =>
      changing(version, object, (own) => prepareForUpdate(own, seen(version, old), context)),
    validateMetadata: ({ metadata }) => (kind.allowsAnyFinalizer === true ? [] : checkFinalizerNames(metadata)),
    validate: (object, context) => kind.validate?.(seen(version, object), context) ?? [],
    validateUpdate: (object, old, context) =>
      changeProblems(kind, [seen(version, object), seen(version, old)], context),
    validateChange:
      kind.validateChange === undefined
        ? undefined
        : (object, old, context) => kind.validateChange?.(seen(version, object), seen(version, old), context) ?? [],
    changeSteps: kind.changeSteps,
    ...inSteps(version),
    warnings: (object, old) =>
      kind.warnings?.(seen(version, object), old === undefined ? undefined : seen(version, old)) ?? [],
  };
}

function inSteps(version: VersionOfKind): Pick<Strategy, 'validateInSteps'> {
  const { validateInSteps } = version.kind;
  if (validateInSteps === undefined) return {};
  return {
    validateInSteps: (object, old) =>
      validateInSteps(seen(version, object), old === undefined ? undefined : seen(version, old)),
  };
}

/** The status subresource: only `status` changes, and the metadata that the kind allows. */
export function statusStrategy(version: VersionOfKind, own: Strategy): Strategy {
  const { kind } = version;
  const defaults = defaulting(version, kind.applyStatusDefaults);
  const dropOff = dropOffFeatures(version.storedType, version.kubernetes);
  return {
    ...own,
    ...(defaults === undefined ? {} : { applyDefaults: defaults, sharesUnchanged: true }),
    prepareForUpdate: (object, old, context) =>
      changing(version, object, (sent) => {
        const was = seen(version, old);
        keepAllBut(sent, was, 'status');
        keepMetadata(sent, was, kind.statusMetadata);
        dropOff?.(sent, was);
        if (kind.prepareForStatusUpdate === undefined) return;
        const prepared = kind.prepareForStatusUpdate(sent, was, context);
        const finish = (): void => arrange(sent, version.storedType);
        return prepared instanceof Promise ? prepared.then(finish) : finish();
      }),
    validateInSteps: undefined,
    validateChange: undefined,
    changeSteps: kind.statusSteps,
    validateUpdate: (object, old, context) =>
      kind.validateStatus?.(seen(version, object), seen(version, old), context) ?? [],
    warnings: undefined,
  };
}

/** Restores everything but metadata and one member from the old object. */
function keepAllBut(object: ApiObject, old: ApiObject, member: string): void {
  for (const name of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (name === 'metadata' || name === 'kind' || name === 'apiVersion' || name === member) continue;
    if (old[name] === undefined) delete object[name];
    else object[name] = old[name];
  }
}

function changeProblems(
  kind: Kind,
  [object, old]: readonly [ApiObject, ApiObject],
  context: WriteContext,
): readonly FieldError[] {
  if (kind.validateUpdate !== undefined) return kind.validateUpdate(object, old, context);
  return kind.validate?.(object, context) ?? [];
}

function setStatus(object: ApiObject, status: unknown): void {
  if (status === undefined) delete object['status'];
  else object['status'] = status;
}

function fixedParts(version: VersionOfKind): Strategy {
  const { kind, type } = version;
  const checkedForm = formOf(version);
  const judged = new Set(kind.ownRulesFor);
  const bound = <A extends unknown[], R>(hook: Hook<A, R>): Hook<A, R> => hook?.bind(kind);
  return {
    checkName: kind.checkName ?? subdomainName,
    checkNameOf: kind.checkNameOf === undefined ? undefined : (object) => kind.checkNameOf?.(seen(version, object)),
    checkedForm,
    combineErrors: (table, own) =>
      fitIn(withoutSaid(withoutJudged(table, judged), own), own, checkedForm?.values ?? type),
    ...(kind.invalidAs === undefined ? {} : { invalidAs: kind.invalidAs }),
    complete: bound(kind.complete),
    metadataRules: kind.metadataRules,
    createOnUpdate: kind.createOnUpdate,
    requiresResourceVersion: kind.requiresResourceVersion,
    defaultPropagation: kind.defaultPropagation,
    propagationWarning: kind.propagationWarning,
    returnsDeletedObject:
      kind.returnsStatusIn?.includes(type.kind?.version ?? '') === true ? false : kind.returnsDeletedObject,
    gracePeriod: bound(kind.gracePeriod),
    mayDisappear: bound(kind.mayDisappear),
    beforeDelete: bound(kind.beforeDelete),
    ttlSeconds: bound(kind.ttlSeconds),
    alongside: kind.alongside?.bind(kind),
  };
}

/** Rules are about the stored form, in any version; values are where they were sent if that has another form. */
function formOf(version: VersionOfKind): Strategy['checkedForm'] {
  const { type, storedType, conversion } = version;
  if (type === storedType) return undefined;
  const of = (object: ApiObject): ApiObject => seen(version, object);
  return conversion === undefined ? { type: storedType, values: storedType, of } : { type: storedType, of };
}

/** The problems from the type table, without those of fields that the kind has its own rules for. */
function withoutJudged(table: readonly FieldError[], judged: ReadonlySet<string>): readonly FieldError[] {
  return judged.size === 0 ? table : table.filter(({ field }) => !judged.has(schemaPathOf(field)));
}

/** If table and kind report the same reason for a field, keeps the kind's; what the kind forbids is not looked into. */
function withoutSaid(table: readonly FieldError[], own: readonly FieldError[]): readonly FieldError[] {
  return table.filter(
    ({ field, reason }) =>
      !own.some(
        (said) =>
          (said.field === field && said.reason === reason) ||
          (isForbidden(said) && !said.field.endsWith(']') && isBelow(field, said.field)),
      ),
  );
}

function isForbidden({ reason }: FieldError): boolean {
  return reason === 'FieldValueForbidden';
}

function isBelow(field: string, place: string): boolean {
  return field.startsWith(place) && (field[place.length] === '.' || field[place.length] === '[');
}

function defaulting({ kind, type }: VersionOfKind, defaults: Kind['applyDefaults']): Strategy['applyDefaults'] {
  if (defaults === undefined) return undefined;
  return (object) => {
    defaults.call(kind, object);
    arrange(object, type);
  };
}

/** An object as hooks see it. */
function seen({ conversion, storedType }: VersionOfKind, object: ApiObject): ApiObject {
  return conversion === undefined ? object : asObject(conversion.toStored(object), storedType);
}

/** Runs a hook on the stored version of an object, and applies its changes to the object. */
function changing(
  version: VersionOfKind,
  object: ApiObject,
  change: (object: ApiObject) => void | Promise<void>,
): void | Promise<void> {
  const { conversion, type } = version;
  if (conversion === undefined) return change(object);
  const own = seen(version, object);
  const carryBack = (): void => {
    const changed = asObject(conversion.fromStored(own), type);
    for (const name of Object.keys(object)) if (!Object.hasOwn(changed, name)) delete object[name];
    Object.assign(object, changed, { kind: object.kind, apiVersion: object.apiVersion });
  };
  const done = change(own);
  if (done instanceof Promise) return done.then(carryBack);
  carryBack();
}

function asObject(value: ApiObject, type: Struct): ApiObject {
  return keepAllSentEmpty(canonicalObject(value, type), value);
}

/** The initial `status`. Made on first use, so that importing or listing kinds costs nothing. */
function blankStatus({ storedType }: VersionOfKind): () => unknown {
  let blank: unknown;
  let isMade = false;
  return () => {
    if (!isMade) blank = canonicalize({}, storedType, { defaults: true })['status'];
    isMade = true;
    return blank;
  };
}
