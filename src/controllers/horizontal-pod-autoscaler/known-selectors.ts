import type { LabelMatcher } from '../../api/client.ts';
import { type Observed, type Pod, splitKey } from '../../client/index.ts';

/** Which pods autoscalers are about, as far as that is known: to find pods that several are about. */
export class KnownSelectors {
  readonly #namespaces = new Map<string, Map<string, LabelMatcher>>();

  /** Notes whose pods an autoscaler is about; undefined when it is gone. */
  set(key: string, matcher: LabelMatcher | undefined): void {
    const { namespace = '', name } = splitKey(key);
    const known = this.#namespaces.get(namespace) ?? new Map<string, LabelMatcher>();
    if (matcher === undefined) known.delete(name);
    else known.set(name, matcher);
    if (known.size === 0) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, known);
  }

  /** The names of the autoscalers of a namespace that are about some of its pods. */
  about(namespace: string, pods: readonly Observed<Pod>[]): readonly string[] {
    const known = [...(this.#namespaces.get(namespace) ?? [])];
    return known
      .filter(([, matcher]) => pods.some(({ metadata }) => matcher.matches(metadata.labels)))
      .map(([name]) => name)
      .toSorted();
  }
}
