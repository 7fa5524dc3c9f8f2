import type { Type } from '../type-terms/index.ts';
import type { FunctionDeclaration } from './declarations.ts';
import type { TypeProvider } from './type-provider.ts';

/** What a global name stands for. */
export interface Declared {
  readonly name: string;
  readonly type: Type;
  /** Set when the name is a type or an enum value. */
  readonly constant?: Type | number;
}

/** All that the checker needs to know about an environment. */
export interface Declarations {
  findIdent(name: string): Declared | undefined;
  findFunction(name: string): FunctionDeclaration | undefined;
  readonly types: TypeProvider;
  /** Whether a signature is disabled, such as comparisons between different number types. */
  isDisabled(overloadId: string): boolean;
}
