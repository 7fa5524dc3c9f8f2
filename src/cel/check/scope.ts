import type { Type } from '../type-terms/index.ts';

/** The local variables at a place in an expression, innermost first. */
export class Scope {
  readonly #names: ReadonlyMap<string, Type>;
  readonly #around: Scope | undefined;

  constructor(names: ReadonlyMap<string, Type>, around: Scope | undefined) {
    this.#names = names;
    this.#around = around;
  }

  find(name: string): Type | undefined {
    return this.#names.get(name) ?? this.#around?.find(name);
  }
}
