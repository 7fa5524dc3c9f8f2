import { matchLabelSelector, ValueError, type LabelSelectorObject } from '../../api/client.ts';
import { type Kind, keyOf, type KubernetesObject, type Observed } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import { controllerOf } from '../../api/meaning/index.ts';

/** Reads the selector of an owner. */
export type SelectorOf<Owner extends KubernetesObject> = (owner: Observed<Owner>) => LabelSelectorObject | undefined;

/**
 * The keys of the owners that a changed object concerns: its controller if it has one, otherwise all owners whose
 * selector matches, because one of them may adopt it. An empty selector matches nothing.
 */
export function ownerKeys<Owner extends KubernetesObject>(
  object: Observed<KubernetesObject>,
  { kind, selectorOf }: { readonly kind: Kind<Owner>; readonly selectorOf: SelectorOf<Owner> },
  context: { readonly objects: ReconcileContext['objects'] },
): readonly string[] {
  const { namespace = '', labels } = object.metadata;
  const controller = controllerOf(object);
  if (controller !== undefined) {
    if (controller.kind !== kind.kind) return [];
    const key = `${namespace}/${controller.name}`;
    const owner = context.objects(kind).get(key);
    return owner?.metadata.uid === controller.uid ? [key] : [];
  }
  if (labels === undefined || object.metadata.deletionTimestamp !== undefined) return [];
  const owners = context.objects(kind).list({ namespace });
  return owners.filter((owner) => isSelecting(selectorOf(owner), labels)).map((owner) => keyOf(owner));
}

function isSelecting(selector: LabelSelectorObject | undefined, labels: Readonly<Record<string, string>>): boolean {
  const matcher = matchLabelSelector(selector);
  return !(matcher instanceof ValueError) && !matcher.isEmpty && matcher.matches(labels);
}
