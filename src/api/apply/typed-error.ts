/** A problem with a value of a type; the path is in the format of messages. */
export interface TypedProblem {
  readonly path: string;
  readonly message: string;
}

/** A value that does not match its type, in Kubernetes' words. */
export class TypedError extends Error {
  override readonly name = 'TypedError';

  constructor(problems: readonly TypedProblem[]) {
    const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n'));
  }
}
