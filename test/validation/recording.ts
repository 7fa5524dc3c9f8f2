import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { type Answer, comparable } from './answer.ts';
import type { Case } from './case.ts';
import type { Edit } from './edits.ts';

/** A case with what the real server answered. */
export interface Recorded {
  readonly part: 'create' | 'update';
  readonly played: Case;
  /** The digests of its answers: it may order what it finds in maps differently each time. */
  readonly digests: readonly string[];
  readonly code: number;
  /** What it said of a refusal. */
  readonly message: string;
  /** The whole answer where ours differs. */
  readonly differing?: Answer;
}

/** As stored: the base, the verb, the field validation and the edits, then the answer. */
type Row = readonly [
  part: number,
  base: string,
  verb: Case['verb'],
  validation: Case['validation'],
  edits: readonly (readonly [path: Edit['path'], value?: unknown])[],
  digests: readonly string[],
  code: number,
  message: string,
  differing?: Answer,
];

const path = join(import.meta.dirname, 'recorded.json.br');
const PARTS = ['create', 'update'] as const;
const DIGEST_CHARACTERS = 8;

export function digestOf(answer: Answer): string {
  return createHash('sha256').update(comparable(answer)).digest('base64').slice(0, DIGEST_CHARACTERS);
}

export function readRecording(): readonly Recorded[] {
  const rows = JSON.parse(brotliDecompressSync(readFileSync(path)).toString()) as readonly Row[];
  return rows.map(([part, base, verb, validation, edits, digests, code, message, differing]) => ({
    part: PARTS[part] ?? 'create',
    played: { base, verb, validation, edits: edits.map(fromRow) },
    digests,
    code,
    message,
    ...(differing === undefined ? {} : { differing }),
  }));
}

function fromRow([at, ...value]: readonly [path: Edit['path'], value?: unknown]): Edit {
  return value.length === 0 ? { path: at } : { path: at, value: value[0] };
}

/** Cases of a base object stand together, because then they compress well. */
export function writeRecording(recorded: readonly Recorded[]): void {
  const rows = recorded
    .toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
    .map(({ part, played, digests, code, message, differing }): Row => {
      const edits = played.edits.map((edit): Row[4][number] =>
        'value' in edit ? [edit.path, edit.value] : [edit.path],
      );
      const row = [
        PARTS.indexOf(part),
        played.base,
        played.verb,
        played.validation,
        edits,
        digests,
        code,
        message,
      ] as const;
      return differing === undefined ? row : [...row, differing];
    });
  const text = Buffer.from(`[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_QUALITY]: 10,
  };
  writeFileSync(path, brotliCompressSync(text, { params }));
}

function keyOf({ part, played, message }: Recorded): string {
  return JSON.stringify([part, played.base, played.verb, message]);
}
