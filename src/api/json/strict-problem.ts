import { quoteGo } from '../values/index.ts';

/** An unknown or duplicate field. */
export interface StrictProblem {
  readonly kind: 'unknown' | 'duplicate';
  /** Such as `spec.containers[0].foo`. */
  readonly path: string;
}

/** Kubernetes stops collecting at this number. */
const MAX_PROBLEMS = 100;

/** Problems in the order found, without duplicates. */
export class StrictProblems {
  readonly list: StrictProblem[] = [];
  readonly #seen = new Set<string>();
  readonly #limit: number;

  constructor(limit = MAX_PROBLEMS) {
    this.#limit = limit;
  }

  add(kind: StrictProblem['kind'], parent: string, key: string): void {
    if (this.list.length >= this.#limit) return;
    const problem = { kind, path: parent === '' ? key : `${parent}.${key}` };
    const text = describeProblem(problem);
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.list.push(problem);
  }
}

/** `unknown field "spec.foo"` */
export function describeProblem(problem: StrictProblem): string {
  return `${problem.kind} field ${quoteGo(problem.path)}`;
}
