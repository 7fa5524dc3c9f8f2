import type { Type } from './type.ts';
import { DYN, listOf, mapOf, opaqueType, typeOfType } from './type.ts';

/**
 * The bindings of type parameters found while checking.
 *
 * Example: checking `[1] + []` against `list(A) + list(A)` binds A to int, then the empty list's element to A.
 */
export class Substitutions {
  readonly #bound = new Map<string, Type>();
  /** The previous binding for each change since the outermost attempt began, newest last. */
  readonly #undo: (readonly [string, Type | undefined])[] = [];

  bind(parameter: Type, to: Type): void {
    this.#undo.push([parameter.name, this.#bound.get(parameter.name)]);
    this.#bound.set(parameter.name, to);
  }

  /** Whether `left` may stand for `right` (the order hardly matters). Bindings are kept only if so. */
  unify(left: Type, right: Type): boolean {
    return this.#attempt(() => this.#assignable(left, right));
  }

  unifyAll(left: readonly Type[], right: readonly Type[]): boolean {
    return this.#attempt(() => this.#assignableAll(left, right));
  }

  #attempt(action: () => boolean): boolean {
    const start = this.#undo.length;
    const isDone = action();
    if (!isDone) {
      while (this.#undo.length > start) {
        const [name, before] = this.#undo.pop() as readonly [string, Type | undefined];
        if (before === undefined) this.#bound.delete(name);
        else this.#bound.set(name, before);
      }
    }
    return isDone;
  }

  /** The type with its parameters replaced; free ones stay, or become dyn when `freeToDyn`. */
  apply(type: Type, freeToDyn: boolean): Type {
    switch (type.kind) {
      case 'param': {
        const bound = this.#bound.get(type.name);
        if (bound !== undefined) return this.apply(bound, freeToDyn);
        return freeToDyn ? DYN : type;
      }
      case 'opaque':
        if (type.parameters.length === 0) return type;
        return opaqueType(type.name, ...type.parameters.map((each) => this.apply(each, freeToDyn)));
      case 'list':
        return this.#rebuild(type, freeToDyn, (element) => listOf(element));
      case 'map':
        return this.#rebuild(type, freeToDyn, (key, value) => mapOf(key, value));
      case 'type':
        return this.#rebuild(type, freeToDyn, (of) => typeOfType(of));
      default:
        return type;
    }
  }

  #rebuild(type: Type, freeToDyn: boolean, make: (first: Type, second: Type) => Type): Type {
    if (type.parameters.length === 0) return type;
    const applied = type.parameters.map((each) => this.apply(each, freeToDyn));
    if (applied.every((each, at) => each === type.parameters[at])) return type;
    return make(applied[0] as Type, applied[1] as Type);
  }

  #assignable(left: Type, right: Type): boolean {
    if (right.kind === 'param') {
      const outcome = this.#substitutes(left, right);
      if (outcome.isValid) return true;
      if (outcome.isBound) return false;
    }
    if (left.kind === 'param') return this.#substitutes(right, left).isValid;
    if (isDynOrError(left) || isDynOrError(right)) return true;
    if (left.kind === 'null') return acceptsNull(right);
    if (right.kind === 'null') return acceptsNull(left);
    switch (left.kind) {
      case 'type':
        return right.kind === 'type';
      case 'opaque':
      case 'list':
      case 'map':
        return (
          left.kind === right.kind && left.name === right.name && this.#assignableAll(left.parameters, right.parameters)
        );
      default:
        return right.accepts(left);
    }
  }

  #assignableAll(left: readonly Type[], right: readonly Type[]): boolean {
    return left.length === right.length && left.every((each, at) => this.#assignable(each, right[at] as Type));
  }

  /** Whether the parameter can be, or already is, `type`; and whether it was already bound. */
  #substitutes(type: Type, parameter: Type): { isValid: boolean; isBound: boolean } {
    if (type.kind === 'param' && type.name === parameter.name) return { isValid: true, isBound: true };
    const bound = this.#bound.get(parameter.name);
    if (bound?.kind === 'none') {
      if (type.isDyn) this.bind(parameter, type);
      return { isValid: type.isDyn, isBound: true };
    }
    if (bound !== undefined) {
      if (type.isExactly(bound)) return { isValid: true, isBound: true };
      if (!this.#assignable(type, bound)) return { isValid: false, isBound: true };
      const general = mostGeneral(type, bound);
      if (!this.#occursIn(parameter, general)) this.bind(parameter, general);
      return { isValid: true, isBound: true };
    }
    if (this.#occursIn(parameter, type)) return { isValid: false, isBound: false };
    this.bind(parameter, type);
    return { isValid: true, isBound: false };
  }

  #occursIn(parameter: Type, type: Type): boolean {
    if (type.kind === 'param') {
      if (type.name === parameter.name) return true;
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occursIn(parameter, bound);
    }
    return type.parameters.some((each) => this.#occursIn(parameter, each));
  }
}

/** The more general of two types that are known to unify. */
export function mostGeneral(left: Type, right: Type): Type {
  return isEqualOrLessSpecific(left, right) ? left : right;
}

function isEqualOrLessSpecific(left: Type, right: Type): boolean {
  if (left.isDyn || left.kind === 'param') return true;
  if (right.isDyn || right.kind === 'param' || left.kind !== right.kind) return false;
  switch (left.kind) {
    case 'opaque':
      if (left.name !== right.name || left.parameters.length !== right.parameters.length) return false;
      return left.parameters.every((each, at) => isEqualOrLessSpecific(each, right.parameters[at] as Type));
    case 'list':
    case 'map':
      return left.parameters.every((each, at) => isEqualOrLessSpecific(each, right.parameters[at] as Type));
    case 'type':
      return true;
    default:
      return left.isExactly(right);
  }
}

function isDynOrError(type: Type): boolean {
  return type.isDyn || type.kind === 'error';
}

function acceptsNull(type: Type): boolean {
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'null':
    case 'opaque':
    case 'struct':
    case 'timestamp':
      return true;
    default:
      return type.wrapped !== undefined;
  }
}
