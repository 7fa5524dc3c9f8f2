/** Something in a schema that a definition cannot express. */
export interface SchemaProblem {
  /** The place, as in objects: `spec.backends[*].weight`. */
  readonly path: string;
  readonly problem: string;
  /** What to write instead. */
  readonly instead: string;
}

/** A schema cannot become part of a CustomResourceDefinition; the message lists all reasons. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly problems: readonly SchemaProblem[];

  constructor(subject: string, problems: readonly SchemaProblem[]) {
    const lines = problems.map(({ path, problem, instead }) => `  ${path}: ${problem}; ${instead}`);
    super(`Cannot define ${subject}:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}
