import type { FunctionDeclaration } from '../check/declarations.ts';
import type { Macro } from '../syntax/index.ts';
import type { Type } from '../type-terms/index.ts';

/** Functions and macros that belong together, and the types that they bring along. */
export interface Library {
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Types that expressions may name. */
  readonly types?: readonly Type[];
}
