import { Depth } from './depth.ts';
import type { Expr } from './expr.ts';
import type { Issues } from './issues.ts';
import type { MacroTable } from './macro.ts';
import type { TokenReader } from './token-reader.ts';

/** How an environment changes the grammar. */
export interface Syntax {
  readonly macros: MacroTable;
  /** Whether `a.?b`, `a[?b]` and optional elements, entries and fields may be written. */
  readonly hasOptionals: boolean;
}

/** State shared by the parts of the parser while they parse one expression. */
export class ParseContext {
  readonly reader: TokenReader;
  readonly syntax: Syntax;
  readonly issues: Issues;
  readonly depth = new Depth();

  constructor(reader: TokenReader, syntax: Syntax, issues: Issues) {
    this.reader = reader;
    this.syntax = syntax;
    this.issues = issues;
  }

  call(offset: number, name: string, args: readonly Expr[]): Expr {
    return this.depth.of({ kind: 'call', offset, name, target: undefined, args }, args);
  }

  /** Records a mistake and returns a placeholder node. */
  wrong(offset: number, message: string): Expr {
    this.issues.report(offset, message);
    return { kind: 'literal', offset, literal: { kind: 'null' } };
  }
}
