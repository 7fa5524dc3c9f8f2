import type { Type } from '../type-terms/index.ts';
import type { FunctionDeclaration } from './declarations.ts';
import type { TypeProvider } from './type-provider.ts';

/** What a global name stands for. */
export interface Declared {
  readonly name: string;
  readonly type: Type;
  /** Set when the name is a type, or a number of an enum. */
  readonly constant?: Type | number;
}

/** All that the checker needs to know about an environment. */
export interface Declarations {
  findIdent(name: string): Declared | undefined;
  findFunction(name: string): FunctionDeclaration | undefined;
  readonly types: TypeProvider;
  /** Whether a signature is switched off, such as comparisons of different kinds of numbers. */
  isDisabled(overloadId: string): boolean;
}
