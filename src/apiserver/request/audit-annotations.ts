import { qualifiedNameProblems } from '../../api/index.ts';

/** What plugins have to say about a request in its audit event, each key once. */
export class AuditAnnotations {
  readonly #values = new Map<string, string>();

  /** Keys are like labels': `podsecurity.admission.k8s.io/audit`, with a prefix. */
  add(key: string, value: string): void {
    const [problem] = key.includes('/') ? qualifiedNameProblems(key) : ['it has no prefix'];
    if (problem !== undefined) throw new Error(`Cannot add audit annotation "${key}": ${problem}`);
    if (!this.#values.has(key)) this.#values.set(key, value);
  }

  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }
}
