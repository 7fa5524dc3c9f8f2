import {
  type ApiObject,
  internalError,
  type LabelMatcher,
  type LabelSelectorObject,
  matchEverything,
  matchLabelSelector,
  notFound,
  ValueError,
} from '../../api/index.ts';
import { isStoreError } from '../../store/index.ts';
import type { AdmissionAttributes, AdmissionTarget, ObjectsOf, Resource } from '../../apiserver/index.ts';
import type { EquivalentResources } from './equivalent-resources.ts';
import { couldMatchRule, isNamespaces, type MatchRule, matchesPlace } from './match-rule.ts';

/**
 * The requests that a webhook (`rules`) or a policy (`resourceRules`) applies to. Policies without rules apply to all.
 */
export interface MatchCriteria {
  readonly rules?: readonly MatchRule[];
  readonly resourceRules?: readonly MatchRule[];
  readonly excludeResourceRules?: readonly MatchRule[];
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  /** `Exact` or `Equivalent`; absent counts as `Exact`. */
  readonly matchPolicy?: string;
}

export interface MatchSources {
  readonly equivalents: EquivalentResources;
  readonly namespaces: Pick<ObjectsOf, 'getNow' | 'newest'>;
}

/**
 * The resource as which a request matched: its own, or an equivalent to whose version the objects are converted. A
 * promise only while a namespace has to be read from the store.
 */
export type Match = Resource | undefined | Promise<Resource | undefined>;

/** Criteria prepared for matching many requests. */
export class RequestMatcher {
  readonly #rules: readonly MatchRule[];
  readonly #excluded: readonly MatchRule[];
  readonly #isAboutAll: boolean;
  readonly #isExact: boolean;
  readonly #sources: MatchSources;
  readonly #namespaces: LabelMatcher | ValueError;
  readonly #objects: LabelMatcher | ValueError;

  constructor(criteria: MatchCriteria, sources: MatchSources) {
    const { rules, resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector } = criteria;
    this.#rules = rules ?? resourceRules;
    this.#isAboutAll = rules === undefined && resourceRules.length === 0;
    this.#excluded = excludeResourceRules;
    this.#isExact = criteria.matchPolicy !== 'Equivalent';
    this.#sources = sources;
    this.#namespaces = selectorOf(namespaceSelector);
    this.#objects = selectorOf(objectSelector);
  }

  /**
   * Whether any request of this kind can match. Depends on the target and the served resources only, so it can be
   * cached.
   */
  couldMatch(target: AdmissionTarget): boolean {
    return this.#isAboutAll || this.#candidates(this.#rules, target).length > 0;
  }

  /**
   * Throws a `StatusError` if everything but a selector matches, and the selector cannot be evaluated because its
   * namespace is gone.
   */
  match(attributes: AdmissionAttributes): Match {
    if (this.#find(this.#excluded, attributes) !== undefined) return undefined;
    const found = this.#isAboutAll ? attributes.resource : this.#find(this.#rules, attributes);
    if (found === undefined || !this.#selectsObject(attributes)) return undefined;
    const isSelected = this.#selectsNamespace(attributes);
    const conclude = (isMatch: boolean): Resource | undefined => {
      if (isMatch && this.#objects instanceof ValueError) throw internalError(this.#objects);
      return isMatch ? found : undefined;
    };
    return isSelected instanceof Promise ? isSelected.then(conclude) : conclude(isSelected);
  }

  #find(rules: readonly MatchRule[], attributes: AdmissionAttributes): Resource | undefined {
    if (rules.length === 0) return undefined;
    return this.#candidates(rules, attributes).find(({ rule, resource }) =>
      matchesPlace(rule, { resource, namespace: attributes.namespace, name: attributes.name }),
    )?.resource;
  }

  /** The requested resource comes before its equivalents, and among these earlier rules come first. */
  #candidates(
    rules: readonly MatchRule[],
    target: AdmissionTarget,
  ): { readonly rule: MatchRule; readonly resource: Resource }[] {
    const { operation, resource, subresource } = target;
    const own = rules.filter((rule) => couldMatchRule(rule, target)).map((rule) => ({ rule, resource }));
    if (this.#isExact) return own;
    const equivalents = this.#sources.equivalents.of(resource, subresource);
    const others = rules.flatMap((rule) =>
      equivalents
        .filter((other) => couldMatchRule(rule, { operation, resource: other, subresource }))
        .map((other) => ({ rule, resource: other })),
    );
    return [...own, ...others];
  }

  #selectsObject({ object, old }: AdmissionAttributes): boolean {
    const selector = this.#objects;
    if (selector instanceof ValueError || selector.isEmpty) return true;
    return [object, old].some((each) => each?.metadata !== undefined && selector.matches(each.metadata.labels));
  }

  #selectsNamespace(attributes: AdmissionAttributes): boolean | Promise<boolean> {
    const { namespace, resource, subresource, operation, object } = attributes;
    const selector = this.#namespaces;
    if (namespace === '' && !isNamespaces(resource)) return true;
    if (selector instanceof ValueError) throw internalError(selector);
    if (selector.isEmpty) return true;
    const isOwn = isNamespaces(resource) && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
    if (isOwn) return selector.matches(object?.metadata.labels);
    const known = this.#atHand(namespace);
    if (known !== undefined) return selector.matches(known.metadata.labels);
    return this.#sources.namespaces.newest('', namespace).then((found) => {
      if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
      return selector.matches(found.metadata.labels);
    });
  }

  #atHand(name: string): ApiObject | undefined {
    try {
      return this.#sources.namespaces.getNow('', name);
    } catch (error) {
      if (isStoreError(error, 'Unavailable')) return undefined;
      throw error;
    }
  }
}

function selectorOf(selector: LabelSelectorObject | undefined): LabelMatcher | ValueError {
  return selector === undefined ? matchEverything() : matchLabelSelector(selector);
}
