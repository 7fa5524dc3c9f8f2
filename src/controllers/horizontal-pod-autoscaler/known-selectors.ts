import { type LabelMatcher, parseLabelSelector, ValueError } from '../../api/client.ts';
import { splitKey } from '../../client/index.ts';
import type { Observed, Pod } from '../../client/index.ts';

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

/** Why pods cannot be told by a selector. */
export class SelectorError extends Error {
  /** As in the event, and as in the condition. */
  readonly reasons: { readonly event: string; readonly condition: string };
  /** What the condition says. */
  readonly said: string;

  constructor(message: string, reasons: SelectorError['reasons'], said = message) {
    super(message);
    this.reasons = reasons;
    this.said = said;
  }
}

/** Reads the selector of a scale. */
export function readSelector(text: string): LabelMatcher {
  if (text === '')
    throw new SelectorError(
      'selector is required',
      { event: 'SelectorRequired', condition: 'InvalidSelector' },
      "the HPA target's scale is missing a selector",
    );
  const matcher = parseLabelSelector(text);
  if (matcher instanceof ValueError)
    throw new SelectorError(
      `couldn't convert selector into a corresponding internal selector object: ${matcher.message}`,
      { event: 'InvalidSelector', condition: 'InvalidSelector' },
    );
  return matcher;
}
