import { LabelMatcher, type LabelSelectorObject, matchLabelSelector, ValueError } from '../../api/client.ts';
import { deepEqual } from '../../base/index.ts';
import type { PolicedPod } from './policed-pod.ts';
import type { PodSelection } from './policy-statement.ts';

type Labels = Readonly<Record<string, string>>;

/** The pods that a selection selects now. */
export class SelectedPods {
  /** `shop app=web`, `env=prod / app=web`: the same for equal selections. */
  readonly id: string;
  readonly namespace: string | undefined;
  readonly namespaces: LabelMatcher;
  readonly pods: LabelMatcher;
  readonly members = new Set<IndexedPod>();
  /** The number of users; a selection without any is not kept. */
  users = 0;

  constructor(selection: PodSelection) {
    this.namespace = selection.namespace;
    this.namespaces = matcherOf(selection.namespaceSelector);
    this.pods = matcherOf(selection.podSelector);
    const place = this.namespace ?? `${textOf(this.namespaces)} /`;
    this.id = `${place} ${textOf(this.pods)}`;
  }

  /** Namespaces whose object is not known yet are selected by name only. */
  hasNamespace(name: string, labels: Labels | undefined): boolean {
    return this.namespace === undefined
      ? labels !== undefined && this.namespaces.matches(labels)
      : this.namespace === name;
  }
}

/** A pod in the index, with the selections that select it. */
export interface IndexedPod {
  pod: PolicedPod;
  readonly selections: Set<SelectedPods>;
}

interface IndexedNamespace {
  /** Undefined before the namespace's object is known. */
  labels: Labels | undefined;
  readonly pods: Set<IndexedPod>;
  /** Those that select pods of this namespace. */
  readonly selections: Set<SelectedPods>;
}

/** Hears of changes. A missing side means that the pod was not there, or is not there any more. */
export interface PodIndexListener {
  podChanged(before: PolicedPod | undefined, after: PolicedPod | undefined): void;
  /** The pod has come into a selection, has left it, or has changed in it. */
  memberChanged(selection: SelectedPods, before: PolicedPod | undefined, after: PolicedPod | undefined): void;
}

/**
 * Pods and namespaces by the selections that are in use. A change is compared with the selections of its namespace, and no others.
 *
 * Example: while two policies use the selection `shop app=web`, a pod of "shop" that gets the label joins once.
 */
export class PodIndex {
  readonly #listener: PodIndexListener;
  readonly #pods = new Map<string, IndexedPod>();
  readonly #namespaces = new Map<string, IndexedNamespace>();
  readonly #selections = new Map<string, SelectedPods>();

  constructor(listener: PodIndexListener) {
    this.#listener = listener;
  }

  get(key: string): IndexedPod | undefined {
    return this.#pods.get(key);
  }

  pods(): Iterable<IndexedPod> {
    return this.#pods.values();
  }

  setPod(pod: PolicedPod): void {
    const known = this.#pods.get(pod.key);
    if (known === undefined) return this.#addPod(pod);
    const before = known.pod;
    if (deepEqual(before, pod)) return;
    known.pod = pod;
    const isMoved = before.labels !== pod.labels && !deepEqual(before.labels, pod.labels);
    if (isMoved) this.#compare(known, before);
    for (const selection of known.selections)
      if (!isMoved || selection.pods.matches(before.labels)) this.#listener.memberChanged(selection, before, pod);
    this.#listener.podChanged(before, pod);
  }

  removePod(key: string): void {
    const known = this.#pods.get(key);
    if (known === undefined) return;
    this.#pods.delete(key);
    for (const selection of known.selections) this.#leave(selection, known, known.pod);
    const namespace = this.#namespace(known.pod.namespace);
    namespace.pods.delete(known);
    this.#dropEmpty(known.pod.namespace, namespace);
    this.#listener.podChanged(known.pod, undefined);
  }

  /** Takes in a namespace with its labels; undefined when it is gone. */
  setNamespace(name: string, labels: Labels | undefined): void {
    const namespace = this.#namespace(name);
    if (deepEqual(namespace.labels, labels)) return this.#dropEmpty(name, namespace);
    namespace.labels = labels;
    for (const selection of this.#selections.values()) {
      const isSelected = selection.hasNamespace(name, labels);
      if (isSelected === namespace.selections.has(selection)) continue;
      if (isSelected) this.#enter(selection, namespace);
      else {
        namespace.selections.delete(selection);
        for (const pod of namespace.pods) if (pod.selections.has(selection)) this.#leave(selection, pod, pod.pod);
      }
    }
    this.#dropEmpty(name, namespace);
  }

  /** The pods that a selection selects. The caller releases them. Members that are there already are not reported. */
  acquire(selection: PodSelection): SelectedPods {
    const wanted = new SelectedPods(selection);
    const selected = this.#selections.get(wanted.id) ?? wanted;
    selected.users++;
    if (selected !== wanted) return selected;
    this.#selections.set(wanted.id, wanted);
    const places =
      wanted.namespace === undefined
        ? [...this.#namespaces]
            .filter(([name, { labels }]) => wanted.hasNamespace(name, labels))
            .map(([, each]) => each)
        : [this.#namespace(wanted.namespace)];
    for (const namespace of places) {
      namespace.selections.add(wanted);
      for (const pod of namespace.pods)
        if (wanted.pods.matches(pod.pod.labels)) {
          pod.selections.add(wanted);
          wanted.members.add(pod);
        }
    }
    return wanted;
  }

  release(selection: SelectedPods): void {
    if (--selection.users > 0) return;
    this.#selections.delete(selection.id);
    for (const pod of selection.members) pod.selections.delete(selection);
    for (const [name, namespace] of this.#namespaces) {
      namespace.selections.delete(selection);
      this.#dropEmpty(name, namespace);
    }
  }

  #addPod(pod: PolicedPod): void {
    const added: IndexedPod = { pod, selections: new Set() };
    this.#pods.set(pod.key, added);
    const namespace = this.#namespace(pod.namespace);
    namespace.pods.add(added);
    for (const selection of namespace.selections) if (selection.pods.matches(pod.labels)) this.#join(selection, added);
    this.#listener.podChanged(undefined, pod);
  }

  /** The pod's labels have changed: lets it leave and join selections. */
  #compare(known: IndexedPod, before: PolicedPod): void {
    for (const selection of this.#namespace(known.pod.namespace).selections) {
      const isSelected = selection.pods.matches(known.pod.labels);
      if (isSelected === known.selections.has(selection)) continue;
      if (isSelected) this.#join(selection, known);
      else this.#leave(selection, known, before);
    }
  }

  #enter(selection: SelectedPods, namespace: IndexedNamespace): void {
    namespace.selections.add(selection);
    for (const pod of namespace.pods) if (selection.pods.matches(pod.pod.labels)) this.#join(selection, pod);
  }

  #join(selection: SelectedPods, pod: IndexedPod): void {
    pod.selections.add(selection);
    selection.members.add(pod);
    this.#listener.memberChanged(selection, undefined, pod.pod);
  }

  #leave(selection: SelectedPods, pod: IndexedPod, before: PolicedPod): void {
    pod.selections.delete(selection);
    selection.members.delete(pod);
    this.#listener.memberChanged(selection, before, undefined);
  }

  #namespace(name: string): IndexedNamespace {
    const known = this.#namespaces.get(name);
    if (known !== undefined) return known;
    const selections = [...this.#selections.values()].filter((each) => each.hasNamespace(name, undefined));
    const made: IndexedNamespace = { labels: undefined, pods: new Set(), selections: new Set(selections) };
    this.#namespaces.set(name, made);
    return made;
  }

  /** Forgets a namespace that has neither an object nor pods. */
  #dropEmpty(name: string, { labels, pods }: IndexedNamespace): void {
    if (labels === undefined && pods.size === 0) this.#namespaces.delete(name);
  }
}

/** The id of a selection: the same for equal ones. */
export function selectionId(selection: PodSelection): string {
  return new SelectedPods(selection).id;
}

/** A selector that cannot be read, which no server stores, selects nothing. */
function matcherOf(selector: LabelSelectorObject = {}): LabelMatcher {
  const matcher = matchLabelSelector(selector);
  return matcher instanceof ValueError ? new LabelMatcher([], { matchesNothing: true }) : matcher;
}

function textOf(matcher: LabelMatcher): string {
  if (matcher.matchesNothing) return '!';
  return matcher.isEmpty ? '*' : matcher.toString();
}
