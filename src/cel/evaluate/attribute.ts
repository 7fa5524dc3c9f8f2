import {
  CelError,
  Failure,
  fromJson,
  isJsonObject,
  isList,
  nativeOf,
  noSuchOverload,
  NONE,
  Optional,
  UnknownValue,
  type Value,
  goTypeName,
} from '../values/index.ts';
import type { Evaluate, Frame } from './frame.ts';
import { isKey } from './keys.ts';
import { missing, positionOf, qualify, qualifyIfSet } from './qualify.ts';
import type { Shape, ShapeField } from './shape.ts';

/** One step from a value to a part of it. */
export interface Qualifier {
  /** The key, if it is a constant … */
  readonly constant?: Value;
  /** … otherwise the expression that yields it. A variable that is only used as a key costs nothing. */
  readonly computed?: Evaluate;
  /** Whether the key is data in its original form. */
  readonly isNative?: boolean;
  readonly isOptional: boolean;
  /** Whether the checker knew that the target is a type with fields. */
  readonly isTyped?: boolean;
  /** The last step of `has()`. */
  readonly isTest: boolean;
}

/** Where an attribute begins. */
export type AttributeBase =
  /** `shape` is set when `read` yields raw JSON of that shape. Undefined means a missing variable. */
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly read: (frame: Frame) => unknown;
      readonly shape?: Shape;
      /** Whether it is a binding of the evaluation, not a loop variable. */
      readonly isBinding: boolean;
    }
  | { readonly kind: 'computed'; readonly evaluate: Evaluate }
  | { readonly kind: 'conditional'; readonly condition: Evaluate; readonly yes: Evaluate; readonly no: Evaluate };

/**
 * A variable or value with the selections and indexes that follow it, planned as one. `self.a.b[0]` is the variable
 * `self` with three qualifiers.
 */
export class Attribute {
  readonly #base: AttributeBase;
  readonly #qualifiers: Qualifier[] = [];
  #isTest = false;

  constructor(base: AttributeBase) {
    this.#base = base;
  }

  qualify(qualifier: Qualifier): void {
    this.#qualifiers.push(qualifier);
    if (qualifier.isTest) this.#isTest = true;
  }

  /** The shape of the raw JSON that `raw` yields, if that is known. */
  get shape(): Shape | undefined {
    const path = this.#staticPath();
    return path?.fields.length === this.#qualifiers.length ? path.shape : undefined;
  }

  /** Like `evaluate`, without converting raw JSON; only where `shape` is known. */
  raw(): (frame: Frame) => unknown {
    const path = this.#staticPath();
    if (path === undefined) throw new Error('Cannot read raw JSON: the attribute has no shape');
    const read = rawReader(path);
    return (frame) => {
      const raw = read(frame);
      frame.charge(1);
      return raw;
    };
  }

  /** Whether it yields data in its original form. */
  get isNative(): boolean {
    return this.#base.kind === 'variable' && this.#base.isBinding;
  }

  /** The value with its full cost. */
  evaluate(): Evaluate {
    const resolve = this.resolve();
    const own = (this.#base.kind === 'conditional' ? 0 : 1) - (this.#isTest ? 1 : 0);
    if (!this.#isTest) {
      return (frame) => {
        const value = resolve(frame);
        frame.charge(own);
        return value;
      };
    }
    return (frame) => {
      const value = resolve(frame);
      frame.charge(own);
      return value instanceof Optional ? value.value !== undefined : value;
    };
  }

  /** The value; charges only for the qualifiers. */
  resolve(): Evaluate {
    const path = this.#staticPath();
    const base = path === undefined ? this.#baseEvaluator() : pathEvaluator(path);
    const rest = this.#qualifiers.slice(path?.fields.length ?? 0);
    if (rest.length === 0) return base;
    const isPlain = rest.every((each) => !each.isOptional && !each.isTest && typeof each.constant === 'string');
    if (isPlain) return keyPath(base, rest);
    return (frame) => applyQualifiers(frame, base(frame), rest);
  }

  #baseEvaluator(): Evaluate {
    const base = this.#base;
    switch (base.kind) {
      case 'variable': {
        const { name, read, shape } = base;
        const convert = shape === undefined ? fromJson : (raw: unknown) => shape.convert(raw);
        return (frame) => {
          const raw = read(frame);
          return raw === undefined ? new CelError(`no such attribute(s): ${name}`) : convert(raw);
        };
      }
      case 'computed':
        return base.evaluate;
      case 'conditional': {
        const { condition, yes, no } = base;
        return (frame) => {
          const holds = condition(frame);
          if (holds === true) return yes(frame);
          if (holds === false) return no(frame);
          return holds instanceof Failure ? holds : noSuchOverload();
        };
      }
    }
  }

  /** The leading fields whose place the schema determines. */
  #staticPath(): StaticPath | undefined {
    if (this.#base.kind !== 'variable' || this.#base.shape === undefined) return undefined;
    let { shape } = this.#base;
    const fields: NamedField[] = [];
    for (const { constant, isOptional, isTest } of this.#qualifiers) {
      const field: ShapeField | undefined =
        isOptional || isTest || typeof constant !== 'string' ? undefined : shape.field?.(constant);
      if (field === undefined) break;
      fields.push({ ...field, name: constant as string, of: shape });
      ({ shape } = field);
    }
    return { name: this.#base.name, read: this.#base.read, fields, shape };
  }
}

interface NamedField extends ShapeField {
  readonly name: string;
  /** The shape of the object that has the field. */
  readonly of: Shape;
}

interface StaticPath {
  readonly name: string;
  readonly read: (frame: Frame) => unknown;
  readonly fields: readonly NamedField[];
  readonly shape: Shape;
}

function pathEvaluator(path: StaticPath): Evaluate {
  const read = rawReader(path);
  const { shape } = path;
  return (frame) => {
    const raw = read(frame);
    return raw instanceof Failure ? raw : shape.convert(raw);
  };
}

/** Reads raw JSON along fields; a failure when one is missing. */
function rawReader({ name, read, fields }: StaticPath): (frame: Frame) => unknown {
  const keys = fields.map(({ key }) => key);
  const count = keys.length;
  const isInherited = keys.some((key) => key in Object.prototype);
  return (frame) => {
    let raw = read(frame);
    if (raw === undefined) return new CelError(`no such attribute(s): ${name}`);
    for (let at = 0; at < count; at++) {
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
        return mismatch(frame, fields[at] as NamedField, raw);
      const key = keys[at] as string;
      raw = isInherited && !Object.hasOwn(raw, key) ? undefined : (raw as Record<string, unknown>)[key];
      if (raw === undefined || raw === null) {
        frame.cost += at + 1;
        return new CelError(`no such key: ${(fields[at] as NamedField).name}`);
      }
    }
    frame.cost += count;
    return raw;
  };
}

/** For data that does not fit its schema, which validation should have rejected before. */
function mismatch(frame: Frame, field: NamedField, raw: unknown): Value {
  frame.cost += 1;
  const value = field.of.convert(raw);
  return value instanceof Failure ? value : new CelError(`no such key: ${field.name}`);
}

/** Selections by constant names only, the common case. */
function keyPath(base: Evaluate, qualifiers: readonly Qualifier[]): Evaluate {
  const keys = qualifiers.map(({ constant }) => constant as string);
  const count = keys.length;
  return (frame) => {
    let value = base(frame);
    for (let at = 0; at < count; at++) {
      const key = keys[at] as string;
      let next: Value | undefined;
      if (isJsonObject(value)) {
        if (Object.hasOwn(value, key)) next = fromJson(value[key]);
      } else if (value instanceof Failure) {
        return value;
      } else if (at === 0 && value instanceof Optional) {
        return applyQualifiers(frame, value, qualifiers);
      } else {
        next = qualify(value, key, qualifiers[at]?.isTyped);
      }
      frame.cost += 1;
      if (next === undefined) return missing(value, key);
      value = next;
    }
    return value;
  };
}

function applyQualifiers(frame: Frame, start: Value, qualifiers: readonly Qualifier[]): Value {
  if (start instanceof Failure) return start;
  let value = start;
  let isOptional = false;
  if (value instanceof Optional) {
    if (value.value === undefined) return value;
    isOptional = true;
    value = nativeOf(value.value);
    if (value instanceof Failure) return qualifiers.length === 0 ? new Optional(value) : value;
  }
  for (const qualifier of qualifiers) {
    isOptional ||= qualifier.isOptional;
    const key = qualifier.computed === undefined ? (qualifier.constant as Value) : qualifier.computed(frame);
    if (key instanceof UnknownValue) return key;
    if (key instanceof Failure) {
      if (!isOptional) frame.cost += 1;
      return key;
    }
    if (qualifier.computed !== undefined && !isKey(key)) {
      if (!isOptional) frame.cost += 1;
      return new CelError(`invalid qualifier type: ${goTypeName(key, qualifier)}`);
    }
    if (isOptional) {
      const next = qualifyIfSet(value, key);
      if (next === undefined) return NONE;
      if (next instanceof CelError && !isFaultyElement(value, key)) return next;
      frame.cost += 1;
      value = next;
    } else if (qualifier.isTest) {
      frame.cost += 1;
      const next = qualifyIfSet(value, key, qualifier.isTyped);
      return next instanceof Failure ? next : next !== undefined;
    } else {
      frame.cost += 1;
      const next = qualify(value, key, qualifier.isTyped);
      if (next === undefined) return missing(value, key);
      if (next instanceof Failure && !isFaultyElement(value, key)) return next;
      value = next;
    }
  }
  return isOptional && !(value instanceof UnknownValue) ? new Optional(value) : value;
}

/** A broken element of a list counts as found: later qualifiers are still applied to it. */
function isFaultyElement(target: Value, key: Value): boolean {
  return isList(target) && !(positionOf(key) instanceof CelError);
}

/** A branch of `?:` that is not an attribute is treated as one without qualifiers. */
export function branchEvaluator(evaluate: Evaluate): Evaluate {
  return (frame) => {
    const value = evaluate(frame);
    return value instanceof Optional ? applyQualifiers(frame, value, []) : value;
  };
}
