import type { Observed, Pod } from '../../client/index.ts';
import { type AffinityTerm, matchesPod, NO_TERMS, type WeightedTerm } from './affinity-terms.ts';
import type { NodeInfo } from './node-info.ts';
import type { NodeSlots } from './node-slots.ts';

/** The kind of an affinity term; only `preferred` terms have a weight. */
export type TermKind = 'required' | 'requiredAnti' | 'preferred';

/** An affinity term of pods that are on nodes, with the number of such pods per topology domain. */
export interface PlacedTerm {
  readonly kind: TermKind;
  readonly term: AffinityTerm;
  /** Set for preferred terms; negative for anti-affinity. */
  readonly weight: number;
  /** The number of pods with the term, by the value of the nodes' topology label. */
  readonly pods: ReadonlyMap<string, number>;
}

interface Entry extends PlacedTerm {
  readonly key: string;
  readonly pods: Map<string, number>;
}

interface Contribution {
  readonly entry: Entry;
  readonly value: string;
}

/**
 * The affinity and anti-affinity terms of all pods on nodes. Equal terms share one entry, so all pods of a Deployment
 * cost one. An update visits only the nodes that changed.
 */
export class PlacedTerms {
  readonly #slots: NodeSlots;
  readonly #entries = new Map<string, Entry>();
  /** Entries whose terms only name namespaces, by namespace. */
  readonly #byNamespace = new Map<string, Set<Entry>>();
  /** Entries whose terms have a namespace selector. */
  readonly #anywhere = new Set<Entry>();
  /** By slot: the terms that the node's pods contribute. */
  readonly #added: (readonly Contribution[] | undefined)[] = [];
  #position = -1;

  constructor(slots: NodeSlots) {
    this.#slots = slots;
  }

  /** The terms that apply to the pod, given the labels of its namespace. */
  about(pod: Observed<Pod>, namespaceLabels: Readonly<Record<string, string>> | undefined): readonly PlacedTerm[] {
    this.#position = this.#slots.follow(this.#position, (slot, node) => this.#recount(slot, node));
    if (this.#entries.size === 0) return [];
    const found: PlacedTerm[] = [];
    for (const entry of this.#byNamespace.get(pod.metadata.namespace ?? '') ?? [])
      if (entry.term.selector.matches(pod.metadata.labels)) found.push(entry);
    for (const entry of this.#anywhere) if (matchesPod(entry.term, pod, namespaceLabels)) found.push(entry);
    return found;
  }

  #recount(slot: number, info: NodeInfo | undefined): void {
    for (const { entry, value } of this.#added[slot] ?? []) this.#remove(entry, value);
    const labels = info?.node?.metadata.labels;
    const added: Contribution[] = [];
    if (info !== undefined && labels !== undefined) {
      const add = (kind: TermKind, term: AffinityTerm | WeightedTerm): void => {
        const value = labels[term.topologyKey];
        if (value === undefined) return;
        const entry = this.#entry(kind, term);
        entry.pods.set(value, (entry.pods.get(value) ?? 0) + 1);
        added.push({ entry, value });
      };
      for (const { terms } of info.pods) {
        if (terms === NO_TERMS) continue;
        for (const term of terms.required) add('required', term);
        for (const term of terms.requiredAnti) add('requiredAnti', term);
        for (const term of terms.preferred) add('preferred', term);
      }
    }
    this.#added[slot] = added.length === 0 ? undefined : added;
  }

  #entry(kind: TermKind, term: AffinityTerm | WeightedTerm): Entry {
    const weight = 'weight' in term ? term.weight : 0;
    const key = `${kind} ${weight} ${term.key}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { key, kind, term, weight, pods: new Map() };
    this.#entries.set(key, entry);
    for (const set of this.#placesOf(entry)) set.add(entry);
    return entry;
  }

  #remove(entry: Entry, value: string): void {
    const left = (entry.pods.get(value) ?? 0) - 1;
    if (left > 0) entry.pods.set(value, left);
    else entry.pods.delete(value);
    if (entry.pods.size > 0) return;
    this.#entries.delete(entry.key);
    for (const set of this.#placesOf(entry)) set.delete(entry);
    for (const name of entry.term.namespaces)
      if (this.#byNamespace.get(name)?.size === 0) this.#byNamespace.delete(name);
  }

  #placesOf({ term }: Entry): Set<Entry>[] {
    if (!term.namespaceSelector.matchesNothing) return [this.#anywhere];
    return Array.from(term.namespaces, (name) => {
      const known = this.#byNamespace.get(name) ?? new Set();
      this.#byNamespace.set(name, known);
      return known;
    });
  }
}
