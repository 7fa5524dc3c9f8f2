import type { DeepReadonly } from '../../../base/index.ts';
import { requestOf, storageClassNameOf } from '../../../api/meaning/index.ts';
import { matchLabelSelector, parseQuantity, type Quantity, ValueError } from '../../../api/values/index.ts';
import type { TopologySelectorTerm } from '../../../api/types/core/v1.d.ts';
import { type CSIStorageCapacity, keyOf, type Node, type Observed } from '../../../client/index.ts';
import type { Claim, VolumeLookup } from './pod-claims.ts';

/** The provisioner of classes without dynamic provisioning. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Whether a volume can be provisioned for the claim so that the node can reach it. */
export function provisioningOn(
  claim: Claim,
  { metadata: { labels = {} } }: Observed<Node>,
  lookup: VolumeLookup,
): 'possible' | 'impossible' | 'no space' {
  const className = storageClassNameOf(claim);
  if (className === '') throw new Error(`no class for claim ${JSON.stringify(keyOf(claim))}`);
  const storageClass = lookup.classes.get(className);
  if (storageClass === undefined) throw new Error(`failed to find storage class ${JSON.stringify(className)}`);
  const { provisioner, allowedTopologies = [] } = storageClass;
  if (provisioner === '' || provisioner === NO_PROVISIONER) return 'impossible';
  if (allowedTopologies.length > 0 && !allowedTopologies.some((term) => isIn(term, labels))) return 'impossible';
  if (claim.spec?.resources?.requests?.['storage'] === undefined) return 'possible';
  if (lookup.drivers.get(provisioner)?.spec.storageCapacity !== true) return 'possible';
  const request = requestOf(claim);
  const hasRoom = lookup
    .capacitiesOfClass(className)
    .some((capacity) => (sizeLimit(capacity)?.compare(request) ?? -1) >= 0 && isReached(capacity, labels));
  return hasRoom ? 'possible' : 'no space';
}

/** The size of the largest volume that can be provisioned; undefined when unknown. */
export function sizeLimit({ maximumVolumeSize, capacity }: Observed<CSIStorageCapacity>): Quantity | undefined {
  const limit = parseQuantity(maximumVolumeSize ?? capacity ?? '');
  return limit instanceof ValueError ? undefined : limit;
}

type Labels = Readonly<Record<string, string>>;

/** A term without expressions matches no node. */
function isIn({ matchLabelExpressions = [] }: DeepReadonly<TopologySelectorTerm>, labels: Labels): boolean {
  if (matchLabelExpressions.length === 0) return false;
  return matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));
}

function isReached({ nodeTopology }: Observed<CSIStorageCapacity>, labels: Labels): boolean {
  if (nodeTopology === undefined) return false;
  const selector = matchLabelSelector(nodeTopology);
  return !(selector instanceof ValueError) && selector.matches(labels);
}
