import { decodeBase64, ValueError } from '../values/index.ts';
import { decodeUtf8 } from '../json/index.ts';
import { type GoScalar, resolveScalar } from './go-scalar.ts';
import { yamlError } from './go-yaml-error.ts';

/** A scalar with its meaning. */
export type ResolvedScalar =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string };

const TAGS: Readonly<Record<string, GoScalar['kind']>> = {
  '!!null': 'null',
  '!!bool': 'bool',
  '!!int': 'int',
  '!!float': 'float',
  '!!timestamp': 'timestamp',
};

const NAMES: Readonly<Record<GoScalar['kind'], string>> = {
  null: '!!null',
  bool: '!!bool',
  int: '!!int',
  float: '!!float',
  timestamp: '!!timestamp',
  merge: '!!merge',
  string: '!!str',
};

/** What a scalar means, by its tag if it has one that counts, else by how it is written. */
export function resolveTagged(scalar: {
  readonly text: string;
  readonly tag: string;
  readonly isPlain: boolean;
}): ResolvedScalar {
  const { text, tag, isPlain } = scalar;
  if (tag === '') return isPlain ? meaningOf(text, resolveScalar(text)) : { kind: 'string', value: text };
  if (tag === '!!binary') return { kind: 'string', value: decodeBinary(text) };
  const wanted = TAGS[tag];
  if (wanted === undefined) return { kind: 'string', value: text };
  const found = resolveScalar(text);
  if (wanted === 'float' && found.kind === 'int') return { kind: 'float', value: Number(found.value) };
  if (found.kind !== wanted) throw yamlError(`cannot decode ${NAMES[found.kind]} \`${text}\` as a ${tag}`);
  return meaningOf(text, found);
}

function meaningOf(text: string, scalar: GoScalar): ResolvedScalar {
  const isText = scalar.kind === 'timestamp' || scalar.kind === 'merge' || scalar.kind === 'string';
  return isText ? { kind: 'string', value: text } : scalar;
}

function decodeBinary(text: string): string {
  const bytes = decodeBase64(text);
  if (bytes instanceof ValueError) throw yamlError('!!binary value contains invalid base64 data');
  return decodeUtf8(bytes);
}
