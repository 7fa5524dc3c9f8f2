/** An expression that is well typed but cannot be made executable, such as `int('x')`. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}
