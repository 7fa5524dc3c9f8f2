import type { LabelMatcher } from '../../api/client.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';
import { controllerOf } from '../../api/meaning/index.ts';

/** What an owner does with an object that it controls or might control. */
export type Claim = 'keep' | 'adopt' | 'release' | 'ignore';

/**
 * Whether `owner` keeps, adopts or releases the object: by its selector, and never against another controller.
 *
 * An owner that is being deleted keeps what it has, and changes nothing.
 */
export function decideClaim(
  object: Observed<KubernetesObject>,
  owner: Observed<KubernetesObject>,
  selector: LabelMatcher,
): Claim {
  const controller = controllerOf(object);
  const isOwnerAlive = owner.metadata.deletionTimestamp === undefined;
  const isMatching = selector.matches(object.metadata.labels);
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return 'ignore';
    if (isMatching) return 'keep';
    return isOwnerAlive ? 'release' : 'ignore';
  }
  const isAlive = object.metadata.deletionTimestamp === undefined;
  const isNear = object.metadata.namespace === owner.metadata.namespace;
  return isOwnerAlive && isMatching && isAlive && isNear ? 'adopt' : 'ignore';
}
