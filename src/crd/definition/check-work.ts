import type { Steps } from '../../base/index.ts';
import { textChecks } from '../../cel/index.ts';
import type { ValidationRule } from '../../api/types/apiextensions/v1.d.ts';
import type { Schema } from './definition.ts';
import { innerSchemas, visitSchemas } from './inner-schemas.ts';
import { patternSize } from './pattern-size.ts';

/** Budget, roughly in microseconds. Definitions in use need less than a fifth of it. */
const MAX_WORK = 500_000;

/** The work between two pauses, in the same unit. */
const MAX_WORK_AT_ONCE = 2_000;

/** The measured cost of a part of a schema, a pattern, a rule, a type for rules and a default. */
const PER_PART = 5;
const PER_PATTERN_STEP = 7;
const PER_RULE = 20;
const PER_RULE_PLACE = 100;
const PER_TYPE = 12;
const DEFAULTS_AT_ONCE = 20;
const PER_EVALUATION = 10;

/** A definition that would keep the server busy for too long; upstream has no such limit. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/**
 * Counts the cost of checking one definition beyond one visit to each of its parts: compiling patterns, typing and
 * compiling rules, validating defaults. It is limited, because one thread serves all clients.
 */
export class CheckWork {
  #left = MAX_WORK;
  #sincePause = 0;
  readonly #sizes = new Map<Schema, number>();
  readonly #patterns = new Map<string, string | undefined>();

  /** The problem with a regular expression; each one is compiled once. */
  patternProblem(pattern: string): string | undefined {
    if (this.#patterns.has(pattern)) return this.#patterns.get(pattern);
    this.#spend(patternSize(pattern) * PER_PATTERN_STEP, 'patterns');
    const answer = textChecks.matches(pattern, '');
    const problem = typeof answer === 'string' ? answer : undefined;
    this.#patterns.set(pattern, problem);
    return problem;
  }

  /** Call before the types for the rules of a place are made. */
  typeRules(schema: Schema): void {
    this.#spend(PER_RULE_PLACE + this.#sizeOf(schema) * PER_TYPE, 'rules');
  }

  /** Call before a rule is compiled. */
  compileRule({ rule = '', messageExpression = '' }: Partial<ValidationRule>): void {
    this.#spend(PER_RULE + rule.length + messageExpression.length, 'rules');
  }

  /** Call before a default is validated by its schema and by the rules in it. */
  judgeDefault(schema: Schema): void {
    const values = valueSize(schema.default);
    this.#spend((values * this.#sizeOf(schema)) / DEFAULTS_AT_ONCE, 'defaults');
    visitSchemas(schema, (inner) => {
      if ((inner['x-kubernetes-validations'] ?? []).length === 0) return;
      this.typeRules(inner);
      for (const rule of inner['x-kubernetes-validations'] ?? []) this.compileRule(rule);
      this.#spend(Math.min(values ** 2 * PER_EVALUATION, MAX_WORK / 5), 'defaults');
    });
  }

  /** Lets other work run when enough has been done since the last time. Call it for each part of a schema. */
  *pause(): Steps<void> {
    this.#sincePause += PER_PART;
    if (this.#sincePause < MAX_WORK_AT_ONCE) return;
    this.#sincePause = 0;
    yield;
  }

  #spend(units: number, what: string): void {
    this.#left -= units;
    this.#sincePause += units;
    if (this.#left < 0) throw new TooMuchWork(`checking its ${what} would take too long`);
  }

  /** How many schemas and choices there are in a schema. */
  #sizeOf(schema: Schema): number {
    let size = this.#sizes.get(schema);
    if (size === undefined) {
      size = 1 + (schema.enum?.length ?? 0);
      for (const inner of innerSchemas(schema)) size += this.#sizeOf(inner);
      this.#sizes.set(schema, size);
    }
    return size;
  }
}

/** How many values there are in a value. */
function valueSize(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + valueSize(member), 1);
}
