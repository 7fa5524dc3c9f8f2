import type { SizeEstimator } from '../cost/estimate.ts';
import type { Bounds } from '../cost/size.ts';
import type { DeclType } from './decl-type.ts';

/** Tells how large the parts of a declared type can be. The variable's name does not matter. */
export class DeclSizes implements SizeEstimator {
  readonly #root: DeclType;

  constructor(root: DeclType) {
    this.#root = root;
  }

  sizeAt([, ...path]: readonly string[]): Bounds | undefined {
    let at: DeclType | undefined = this.#root;
    for (const name of path) {
      at = step(at, name);
      if (at === undefined) return undefined;
    }
    return { min: 0n, max: BigInt.asUintN(64, BigInt(at.maxElements)) };
  }
}

function step(at: DeclType, name: string): DeclType | undefined {
  switch (name) {
    case '@items':
    case '@values':
      return at.element;
    case '@keys':
      return at.key;
    default:
      return at.fields?.get(name)?.type;
  }
}
