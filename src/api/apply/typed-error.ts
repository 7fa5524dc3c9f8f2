/** One thing that is wrong with a value of a type; the path is written as messages write it. */
export interface TypedProblem {
  readonly path: string;
  readonly message: string;
}

/** A value that is not what its type says, in the words of Kubernetes. */
export class TypedError extends Error {
  override readonly name = 'TypedError';

  constructor(problems: readonly TypedProblem[]) {
    const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n'));
  }
}
