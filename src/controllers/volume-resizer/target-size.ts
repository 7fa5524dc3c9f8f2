import { capacityOf, requestOf, storageIn } from '../../api/meaning/index.ts';
import type { Quantity } from '../../api/values/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';

type Claim = Observed<PersistentVolumeClaim>;

export interface ExpansionHistory {
  /** The last expansion has certainly ended with an error. */
  readonly hasFailed: boolean;
  /** Whether the driver's controller expands volumes, or nodes alone do. */
  readonly isDoneByController: boolean;
}

/**
 * The size to expand a volume to; undefined if it is the node's turn. An expansion that may be in progress is finished
 * first, even if the claim asks for another size by now.
 */
export function targetSize(
  claim: Claim,
  volume: Observed<PersistentVolume>,
  { hasFailed, isDoneByController }: ExpansionHistory,
): Quantity | undefined {
  const { allocatedResources, allocatedResourceStatuses, conditions = [] } = claim.status ?? {};
  const wanted = requestOf(claim);
  const begun = allocatedResources?.['storage'] === undefined ? undefined : storageIn(allocatedResources);
  const size = capacityOf(volume);
  const state = allocatedResourceStatuses?.['storage'];
  const isOnNode = state === 'NodeResizePending' || state === 'NodeResizeInProgress';
  if (size.compare(wanted) < 0) {
    if (isOnNode) return size.compare(begun ?? wanted) >= 0 ? undefined : (begun ?? wanted);
    if (state === 'NodeResizeInfeasible') return begun ?? wanted;
    if (state === 'ControllerResizeInProgress') return hasFailed ? wanted : (begun ?? wanted);
    return wanted;
  }
  if (isOnNode) return undefined;
  if (state === 'NodeResizeInfeasible') return isDoneByController ? (begun ?? wanted) : wanted;
  if (begun !== undefined) return begun;
  const isPending = conditions.some(({ type, status }) => type === 'FileSystemResizePending' && status === 'True');
  return state === undefined && isPending ? undefined : wanted;
}
