/** An expression that is well typed but cannot be compiled into a program, such as `int('x')`. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}
