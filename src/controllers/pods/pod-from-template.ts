import { dns1123SubdomainProblems, maskTrailingDash } from '../../api/client.ts';
import type { Pod, PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Sendable } from '../../client/index.ts';

/** A pod from the template, controlled by the owner in the reference. */
export function podFromTemplate(
  template: DeepReadonly<PodTemplateSpec> | undefined,
  owner: OwnerReference,
  namespace: string,
): Sendable<Pod> {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    metadata: {
      generateName: podNamePrefix(owner.name),
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [owner],
    },
    ...(template?.spec === undefined ? {} : { spec: template.spec }),
  };
}

/** `web-` for `web`; without the dash if that would not be a valid name. */
export function podNamePrefix(ownerName: string): string {
  const prefix = `${ownerName}-`;
  return dns1123SubdomainProblems(maskTrailingDash(prefix)).length === 0 ? prefix : ownerName;
}
