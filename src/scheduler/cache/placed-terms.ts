import type { Observed, Pod } from '../../client/index.ts';
import { type AffinityTerm, isAbout, NO_TERMS, type WeightedTerm } from './affinity-terms.ts';
import type { NodeInfo } from './node-info.ts';
import type { NodeSlots } from './node-slots.ts';

/** What a term asks for; a preference has a weight. */
export type TermKind = 'required' | 'requiredAnti' | 'preferred';

/** A term that pods on nodes have, and in which parts of the cluster these pods are. */
export interface PlacedTerm {
  readonly kind: TermKind;
  readonly term: AffinityTerm;
  /** Of preferences; negative for anti-affinity. */
  readonly weight: number;
  /** How many pods with the term are on nodes with a value of its topology key. */
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
 * The terms of pod affinity and anti-affinity of all pods on nodes, equal ones together: the pods of a Deployment are one
 * entry, however many they are. Only nodes that have changed are looked at again.
 */
export class PlacedTerms {
  readonly #slots: NodeSlots;
  readonly #entries = new Map<string, Entry>();
  /** The entries whose terms name namespaces and select none, by these names. */
  readonly #byNamespace = new Map<string, Set<Entry>>();
  /** The entries whose terms select namespaces. */
  readonly #anywhere = new Set<Entry>();
  /** By slot: what the pods on the node have added. */
  readonly #added: (readonly Contribution[] | undefined)[] = [];
  #position = -1;

  constructor(slots: NodeSlots) {
    this.#slots = slots;
  }

  /** The terms that are about a pod, which is in a namespace with the labels. */
  about(pod: Observed<Pod>, namespaceLabels: Readonly<Record<string, string>> | undefined): readonly PlacedTerm[] {
    this.#position = this.#slots.follow(this.#position, (slot, node) => this.#recount(slot, node));
    if (this.#entries.size === 0) return [];
    const found: PlacedTerm[] = [];
    for (const entry of this.#byNamespace.get(pod.metadata.namespace ?? '') ?? [])
      if (entry.term.selector.matches(pod.metadata.labels)) found.push(entry);
    for (const entry of this.#anywhere) if (isAbout(entry.term, pod, namespaceLabels)) found.push(entry);
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
