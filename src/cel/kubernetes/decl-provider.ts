import type { TypeProvider } from '../check/type-provider.ts';
import type { Type } from '../type-terms/index.ts';
import type { DeclType } from './decl-type.ts';
import { declared } from './decl-type.ts';
import { reservedWords } from '../syntax/operators.ts';

/** Finds the object types inside declared types by name. */
export class DeclProvider implements TypeProvider {
  readonly #types = new Map<string, DeclType>();
  readonly #allowsKeywords: boolean;

  /** `allowsKeywords`: fields such as `namespace` may be written without escaping. */
  constructor(roots: readonly DeclType[], options: { readonly allowsKeywords: boolean }) {
    this.#allowsKeywords = options.allowsKeywords;
    for (const root of roots) this.#register(root);
  }

  #register(decl: DeclType): void {
    if (decl.fields !== undefined) {
      if (this.#types.has(decl.type.name)) return;
      this.#types.set(decl.type.name, decl);
      for (const { type } of decl.fields.values()) this.#register(type);
    }
    if (decl.element !== undefined) this.#register(decl.element);
  }

  findType(name: string): Type | undefined {
    return (this.#types.get(name) ?? scalars.get(name))?.type;
  }

  findField(typeName: string, field: string): Type | undefined {
    const fields = this.#types.get(typeName)?.fields;
    const found = fields?.get(field);
    if (found !== undefined) return found.type.type;
    if (!this.#allowsKeywords || !reservedWords.has(field)) return undefined;
    return fields?.get(`__${field}__`)?.type.type;
  }
}

/** Simple types by the names that schemas have for them. */
const scalars: ReadonlyMap<string, DeclType> = new Map([
  ['duration', declared.duration],
  ['timestamp', declared.timestamp],
]);
