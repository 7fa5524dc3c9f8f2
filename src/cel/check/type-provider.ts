import type { Type } from '../type-terms/index.ts';
import { CelError, type Value } from '../values/index.ts';

/** Where types with fields are found by name. */
export interface TypeProvider {
  /** The type with this name, if the provider knows it. */
  findType(name: string): Type | undefined;
  /** The type of a field, if the type is known here and has the field. */
  findField(typeName: string, field: string): Type | undefined;
  /** The run-time value of a name, if known: an enum value, or a type. */
  findConstant?(name: string): number | Type | undefined;
  /** Constructs a value of the type; absent when values of this provider's types cannot be constructed. */
  create?(typeName: string, fields: ReadonlyMap<string, Value>): Value;
}

/** Asks one provider after the other. */
export class ProviderChain implements TypeProvider {
  readonly #providers: readonly TypeProvider[];

  constructor(providers: readonly TypeProvider[]) {
    this.#providers = providers;
  }

  findType(name: string): Type | undefined {
    return this.#owner(name)?.findType(name);
  }

  findField(typeName: string, field: string): Type | undefined {
    return this.#owner(typeName)?.findField(typeName, field);
  }

  findConstant(name: string): number | Type | undefined {
    for (const provider of this.#providers) {
      const found = provider.findConstant?.(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  create(typeName: string, fields: ReadonlyMap<string, Value>): Value {
    const made = this.#owner(typeName)?.create?.(typeName, fields);
    return made === undefined ? new CelError(`unknown type '${typeName}'`) : made;
  }

  #owner(name: string): TypeProvider | undefined {
    return this.#providers.find((provider) => provider.findType(name) !== undefined);
  }
}
