/** Something in a schema that a definition cannot say. */
export interface SchemaProblem {
  /** Where, as in objects: `spec.backends[*].weight`. */
  readonly path: string;
  readonly problem: string;
  /** What to write instead. */
  readonly instead: string;
}

/** A schema cannot become part of a CustomResourceDefinition; every reason is in it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly problems: readonly SchemaProblem[];

  constructor(subject: string, problems: readonly SchemaProblem[]) {
    const lines = problems.map(({ path, problem, instead }) => `  ${path}: ${problem}; ${instead}`);
    super(`Cannot define ${subject}:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}
