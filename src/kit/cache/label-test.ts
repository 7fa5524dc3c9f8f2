import {
  type LabelMatcher,
  type LabelSelectorObject,
  matchLabelSelector,
  parseLabelSelector,
  ValueError,
} from '../../api/client.ts';
import type { CacheQuery } from '../objects.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether an object with these labels is selected. */
export type LabelTest = (labels: Labels) => boolean;

const MAX_TEXTS = 1000;

/** Compiles selectors, and caches those that are likely to be used again. */
export class LabelTests {
  readonly #texts = new Map<string, LabelTest>();
  readonly #frozen = new WeakMap<object, LabelTest>();

  of(selector: NonNullable<CacheQuery['labelSelector']>): LabelTest {
    if (typeof selector === 'string') return this.#ofText(selector);
    if (!isSelectorObject(selector)) return ofLabels(selector);
    const known = this.#frozen.get(selector);
    if (known !== undefined) return known;
    const test = ofMatcher(matchLabelSelector(selector), selector);
    if (Object.isFrozen(selector)) this.#frozen.set(selector, test); // a selector that can change is compiled each time
    return test;
  }

  #ofText(text: string): LabelTest {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const test = ofMatcher(parseLabelSelector(text), text);
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    this.#texts.set(text, test);
    return test;
  }
}

/** Tells `{ matchLabels, matchExpressions }` from labels with such names, whose values are strings. */
function isSelectorObject(selector: object): selector is LabelSelectorObject {
  const { matchLabels, matchExpressions } = selector as Readonly<Record<string, unknown>>;
  return typeof matchLabels === 'object' || typeof matchExpressions === 'object';
}

function ofLabels(wanted: Readonly<Record<string, string>>): LabelTest {
  const entries = Object.entries(wanted);
  return (labels) => entries.every(([name, value]) => labels?.[name] === value);
}

function ofMatcher(matcher: LabelMatcher | ValueError, selector: unknown): LabelTest {
  if (matcher instanceof ValueError) {
    throw new Error(`Cannot select by labels ${JSON.stringify(selector)}: ${matcher.message}`, { cause: matcher });
  }
  return (labels) => matcher.matches(labels);
}
