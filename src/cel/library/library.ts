import type { FunctionDeclaration } from '../check/declarations.ts';
import type { Macro } from '../syntax/index.ts';
import type { Type } from '../type-terms/index.ts';

/** A set of functions and macros with the types they use. */
export interface Library {
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Types that expressions may name. */
  readonly types?: readonly Type[];
}
