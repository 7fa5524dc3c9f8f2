import type { PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Sendable } from '../../client/index.ts';
import type { StatefulSetView } from './set-view.ts';

type Claim = DeepReadonly<PersistentVolumeClaim>;

/** Example: `data-web-0` for the template `data` and pod 0 of `web`. */
export function claimName({ name }: Pick<StatefulSetView, 'name'>, template: Claim, ordinal: number): string {
  return `${template.metadata?.name ?? ''}-${name}-${ordinal}`;
}

/** The claims to create for the pod with this ordinal. */
export function claimsOf(set: StatefulSetView, ordinal: number): readonly NamedClaim[] {
  return set.claimTemplates.map((template) => {
    const name = claimName(set, template, ordinal);
    const labels = { ...template.metadata?.labels, ...set.selectorLabels };
    const metadata = { ...template.metadata, name, namespace: set.namespace, labels };
    return { name, key: `${set.namespace}/${name}`, claim: { ...template, metadata } };
  });
}

export interface NamedClaim {
  readonly name: string;
  readonly key: string;
  readonly claim: Sendable<PersistentVolumeClaim>;
}
