import type { LabelMatcher } from '../../api/client.ts';
import { type Observed, type Pod, splitKey } from '../../client/index.ts';

/** The pod selectors of autoscalers, for detecting pods that several select. */
export class KnownSelectors {
  readonly #namespaces = new Map<string, Map<string, LabelMatcher>>();

  /** Sets the selector of an autoscaler; undefined when it was deleted. */
  set(key: string, matcher: LabelMatcher | undefined): void {
    const { namespace = '', name } = splitKey(key);
    const known = this.#namespaces.get(namespace) ?? new Map<string, LabelMatcher>();
    if (matcher === undefined) known.delete(name);
    else known.set(name, matcher);
    if (known.size === 0) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, known);
  }

  /** The names of the namespace's autoscalers that select some of these pods. */
  about(namespace: string, pods: readonly Observed<Pod>[]): readonly string[] {
    const known = [...(this.#namespaces.get(namespace) ?? [])];
    return known
      .filter(([, matcher]) => pods.some(({ metadata }) => matcher.matches(metadata.labels)))
      .map(([name]) => name)
      .toSorted();
  }
}
