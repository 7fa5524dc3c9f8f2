import { type LabelMatcher, parseLabelSelector, ValueError } from '../../api/client.ts';
import { matchNothing, quoteGo } from '../../api/values/index.ts';
import { type Observed, type Pod, splitKey } from '../../client/index.ts';

/** The pod selector of an autoscaler's target. */
export interface TargetSelector {
  /** As the target's scale states it. */
  readonly text: string;
  readonly matcher: LabelMatcher;
  /** As the metrics APIs are asked. */
  readonly query: string;
}

/** Before its target was read, an autoscaler selects no pods. */
const UNREAD: TargetSelector = { text: '', matcher: matchNothing(), query: '' };

/** The pod selectors of autoscalers, for detecting pods that several select. */
export class KnownSelectors {
  readonly #namespaces = new Map<string, Map<string, TargetSelector>>();

  /** Starts with no pods. */
  add(key: string): void {
    this.set(key, UNREAD);
  }

  set(key: string, selector: TargetSelector): void {
    const { namespace = '', name } = splitKey(key);
    const known = this.#namespaces.get(namespace) ?? new Map<string, TargetSelector>();
    known.set(name, selector);
    this.#namespaces.set(namespace, known);
  }

  delete(key: string): void {
    const { namespace = '', name } = splitKey(key);
    const known = this.#namespaces.get(namespace);
    known?.delete(name);
    if (known?.size === 0) this.#namespaces.delete(namespace);
  }

  /**
   * The selector that a scale states: the one that the autoscaler has, as long as the text stays the same; undefined without a text.
   * Throws when the text cannot be parsed.
   */
  read(key: string, text: string): TargetSelector | undefined {
    if (text === '') return undefined;
    const { namespace = '', name } = splitKey(key);
    const known = this.#namespaces.get(namespace)?.get(name);
    if (known?.text === text) return known;
    const matcher = parseLabelSelector(text);
    if (!(matcher instanceof ValueError)) return { text, matcher, query: matcher.toString() };
    const problem = `couldn't parse the selector string ${quoteGo(text)}: ${matcher.message}`;
    throw new Error(
      `received an object from a /scale endpoint which was not convertible to autoscaling Scale: failed to parse target selector: ${problem}`,
    );
  }

  /** The names of the namespace's autoscalers that select some of these pods. */
  about(namespace: string, pods: readonly Observed<Pod>[]): readonly string[] {
    const names: string[] = [];
    for (const [name, { matcher }] of this.#namespaces.get(namespace) ?? [])
      if (pods.some(({ metadata }) => matcher.matches(metadata.labels))) names.push(name);
    return names.length < 2 ? names : names.toSorted();
  }
}
