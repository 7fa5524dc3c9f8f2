import type { Expr } from '../syntax/index.ts';
import type { Type } from '../type-terms/index.ts';
import type { AliasedPath } from './aliased-path.ts';
import type { Bounds } from './size.ts';

/** An argument of a call. */
export interface EstimatedNode {
  /** Undefined for the elements of a list, which have no expression. */
  readonly expr: Expr | undefined;
  readonly type: Type;
  readonly path: AliasedPath;
  readonly size: Bounds | undefined;
}

export interface EstimatedCall {
  readonly name: string;
  readonly overloadId: string;
  readonly target: EstimatedNode | undefined;
  readonly args: readonly EstimatedNode[];
  readonly argCosts: readonly Bounds[];
}

/** What a call costs without its arguments, and how large its result is. */
export interface CallEstimate {
  readonly cost: Bounds;
  readonly size?: Bounds | undefined;
}

/** Finds the size of a node. */
export type SizeOf = (node: EstimatedNode) => Bounds | undefined;
