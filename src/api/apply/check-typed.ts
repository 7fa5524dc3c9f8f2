import { goSyntax, goText, goType } from '../patch/go-value-text.ts';
import { itemElement } from './list-items.ts';
import { TypedError, type TypedProblem } from './typed-error.ts';
import type { ListType, MapType, MergeType, ScalarKind } from './merge-type.ts';
import { elementLabel, fieldElement, indexElement, pathLabel, type PathElement } from './path-element.ts';
import { asList, asMap, kindOf } from './value-kind.ts';

/**
 * Checks that an applied configuration matches its type: scalars, objects and lists are where they belong, there are no
 * unknown fields, and no two items of a list have the same key, unless `allowsTwins`.
 *
 * Throws a TypedError that lists every problem, in Kubernetes' words.
 */
export function checkTyped(value: unknown, type: MergeType, options: { readonly allowsTwins?: boolean } = {}): void {
  const check = new TypeCheck(options.allowsTwins === true);
  check.value(value, type);
  if (check.problems.length > 0) throw new TypedError(check.problems);
}

class TypeCheck {
  readonly problems: TypedProblem[] = [];
  /** The current path; formatted only if something is wrong there. */
  readonly #path: PathElement[] = [];
  readonly #allowsTwins: boolean;

  constructor(allowsTwins: boolean) {
    this.#allowsTwins = allowsTwins;
  }

  value(value: unknown, type: MergeType): void {
    if (value === null) return;
    switch (kindOf(value, type)) {
      case 'scalar':
        return this.#scalar(value, type.scalar as ScalarKind);
      case 'map':
        return this.#map(value, type.map as MapType);
      case 'list':
        return this.#list(value, type.list as ListType);
    }
  }

  #scalar(value: unknown, kind: ScalarKind): void {
    switch (kind) {
      case 'numeric':
        if (!isNumber(value)) this.#fail(`expected numeric (int or float), got ${goType(value)}`);
        return;
      case 'string':
        if (typeof value !== 'string')
          this.#fail(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
        return;
      case 'boolean':
        if (typeof value !== 'boolean') this.#fail(`expected boolean, got &{${goText(value)}}`);
        return;
      case 'untyped':
        if (typeof value === 'object') this.#fail(`expected any scalar, got &{${goText(value)}}`);
        return;
    }
  }

  #map(value: unknown, type: MapType): void {
    const map = asMap(value);
    if (map === undefined) {
      this.#fail(`expected map, got &{${goText(value)}}`);
      return;
    }
    for (const name in map) {
      const field = type.field(name);
      this.#path.push(field?.element ?? fieldElement(name));
      const memberType = field?.type ?? type.rest;
      if (memberType === undefined) this.#fail('field not declared in schema');
      else this.value(map[name], memberType);
      this.#path.pop();
      if (memberType === undefined) return; // one unknown field is enough
    }
  }

  #list(value: unknown, type: ListType): void {
    const list = asList(value);
    if (list === undefined) {
      this.#fail(`expected list, got &{${goText(value)}}`);
      return;
    }
    const seen = new Set<string>();
    for (let index = 0; index < list.length; index++) {
      const item = list[index];
      const element = type.relation === 'atomic' ? indexElement(index) : itemElement(item, type);
      if (typeof element === 'string') {
        this.#fail(`element ${index}: ${element}`);
        return;
      }
      if (seen.has(element.text) && !this.#allowsTwins)
        this.#fail(`duplicate entries for key ${elementLabel(element)}`);
      seen.add(element.text);
      this.#path.push(element);
      this.value(item, type.element);
      this.#path.pop();
    }
  }

  #fail(message: string): void {
    this.problems.push({ path: pathLabel(this.#path), message });
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}
