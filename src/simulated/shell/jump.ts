/** The exit code of an interrupted shell. */
const INTERRUPTED = 130;

/** Leaves a loop, a function or the shell; thrown, and caught where it leads to. */
export class Jump {
  readonly type: 'break' | 'continue' | 'return' | 'exit';
  /** The exit code of a function or the shell. */
  readonly code: number;
  /** How many loops are left. */
  readonly levels: number;

  private constructor(type: Jump['type'], code: number, levels: number) {
    this.type = type;
    this.code = code;
    this.levels = levels;
  }

  static exit(code: number): Jump {
    return new Jump('exit', code, 0);
  }

  static interrupt(): Jump {
    return Jump.exit(INTERRUPTED);
  }

  static return(code: number): Jump {
    return new Jump('return', code, 0);
  }

  static loop(type: 'break' | 'continue', levels: number): Jump {
    return new Jump(type, 0, levels);
  }

  /** The same for the next loop outwards. */
  outwards(): Jump {
    return new Jump(this.type, this.code, this.levels - 1);
  }
}
