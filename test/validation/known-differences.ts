import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { type Difference, signature } from './difference.ts';

/** Why some answers differ. */
export interface KnownDifference {
  /** What the kind and the signature of its differences match. */
  readonly what: RegExp;
  readonly why: string;
}

const path = join(import.meta.dirname, 'known-differences.yaml');

export function readKnownDifferences(): readonly KnownDifference[] {
  const listed = load(readFileSync(path, 'utf8')) as readonly { readonly what: string; readonly why: string }[];
  return listed.map(({ what, why }) => ({ what: new RegExp(what), why }));
}

/** The reason of a difference; undefined if none is listed. */
export function reasonOf(difference: Difference, known: readonly KnownDifference[]): KnownDifference | undefined {
  const text = `${difference.kind}: ${signature(difference)}`;
  return known.find(({ what }) => what.test(text));
}
