import { quoteGo } from '../values/index.ts';

/** A field that the type does not have, or that came twice. */
export interface StrictProblem {
  readonly kind: 'unknown' | 'duplicate';
  /** Such as `spec.containers[0].foo`. */
  readonly path: string;
}

/** Kubernetes stops collecting there. */
const MAX_PROBLEMS = 100;

/** Problems in the order found, each once. */
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
