// The shell language as it is parsed.

/** A word: its parts are expanded and joined. */
export type Word = readonly WordPart[];

export type WordPart =
  | { readonly type: 'text'; readonly text: string; readonly isQuoted: boolean }
  | VariablePart
  | { readonly type: 'command'; readonly script: Script; readonly isQuoted: boolean }
  | { readonly type: 'arithmetic'; readonly expression: Word; readonly isQuoted: boolean };

/** `$NAME`, `${NAME}`, or with an operator: `${NAME:-word}`. */
export interface VariablePart {
  readonly type: 'variable';
  readonly name: string;
  /** Such as `:-`, `##` or `length`; empty for the plain value. */
  readonly operator: string;
  readonly operand: Word;
  readonly isQuoted: boolean;
}

export interface Redirection {
  readonly operator: '<' | '>' | '>>' | '<>' | '<&' | '>&' | '<<' | '<<<';
  readonly descriptor: number;
  /** The name of the file or the number of the descriptor; the text itself for `<<` and `<<<`. */
  readonly target: Word;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
  /** True for `NAME+=value`. */
  readonly isAppended: boolean;
}

export interface SimpleCommand {
  readonly type: 'simple';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
}

export interface CaseBranch {
  readonly patterns: readonly Word[];
  readonly body: Script;
}

/** What a redirection after it applies to as a whole. */
export type CompoundBody =
  | { readonly type: 'subshell' | 'group'; readonly body: Script }
  | {
      readonly type: 'if';
      readonly branches: readonly { readonly condition: Script; readonly body: Script }[];
      readonly otherwise: Script;
    }
  | { readonly type: 'while'; readonly isUntil: boolean; readonly condition: Script; readonly body: Script }
  | {
      readonly type: 'for';
      readonly name: string;
      /** Undefined for the positional parameters. */
      readonly words: readonly Word[] | undefined;
      readonly body: Script;
    }
  | { readonly type: 'case'; readonly subject: Word; readonly branches: readonly CaseBranch[] }
  /** `[[ … ]]` */
  | { readonly type: 'condition'; readonly words: readonly Word[] }
  /** `(( … ))` */
  | { readonly type: 'arithmetic'; readonly expression: Word };

export type Command =
  | SimpleCommand
  | { readonly type: 'compound'; readonly body: CompoundBody; readonly redirections: readonly Redirection[] }
  | { readonly type: 'function'; readonly name: string; readonly body: Command };

/** Commands connected by `|`. */
export interface Pipeline {
  readonly isNegated: boolean;
  readonly commands: readonly Command[];
}

/** Pipelines connected by `&&` and `||`. */
export interface ListItem {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  /** True for a list that ends with `&`. */
  readonly isBackground: boolean;
}

export type Script = readonly ListItem[];

/** What a shell says about a script that it cannot parse. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  /** True when the script is right so far, and more lines may complete it. */
  readonly isIncomplete: boolean;

  constructor(message: string, isIncomplete = false) {
    super(message);
    this.isIncomplete = isIncomplete;
  }
}
