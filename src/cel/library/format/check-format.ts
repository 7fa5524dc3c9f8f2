import type { Expr } from '../../syntax/index.ts';
import { type Kind, type Type } from '../../type-terms/index.ts';
import { type ClauseLetter, fillFormat, FormatError, wrongType } from './clauses.ts';

const ALLOWED: Readonly<Record<ClauseLetter, readonly Kind[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

/** Checks a literal format against literal arguments; returns the mistake and the expression at fault, if any. */
export function checkFormat(
  call: Expr,
  format: string,
  args: readonly Expr[],
): { readonly at: Expr; readonly message: string } | undefined {
  let used = 0;
  try {
    fillFormat(format, {
      count: args.length,
      checksEndFirst: true,
      fill(clause, position) {
        used += 1;
        checkArgument(clause, args[position] as Expr);
        return '';
      },
    });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { at: (error.culprit as Expr | undefined) ?? call, message: error.message };
  }
  if (args.length <= used) return undefined;
  return { at: call, message: `too many arguments supplied to string.format (expected ${used}, got ${args.length})` };
}

function checkArgument(clause: ClauseLetter, arg: Expr): void {
  const type = arg.type as Type;
  if (type.kind !== 'dyn' && !ALLOWED[clause].includes(type.kind)) throw wrongType(clause, type.name, arg);
  if (clause !== 's') return;
  if (arg.kind === 'list') for (const element of arg.elements) checkArgument(clause, element);
  if (arg.kind === 'map') {
    for (const { key, value } of arg.entries) {
      checkArgument(clause, key);
      checkArgument(clause, value);
    }
  }
}
