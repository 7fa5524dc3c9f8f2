/** Ends the shell with a message and an exit code, as the failure of an expansion does. */
export class ShellFailure extends Error {
  override readonly name = 'ShellFailure';
  readonly code: number;

  constructor(message: string, code = 2) {
    super(message);
    this.code = code;
  }
}

/** Longest word that an expansion may produce, as Linux limits one argument of a program. */
export const MAX_WORD_CHARACTERS = 128 * 1024;

/** Throws when a text that the shell builds is longer than a word may be. */
export function checkLength(characters: number): void {
  if (characters > MAX_WORD_CHARACTERS) throw new ShellFailure('Argument list too long');
}
