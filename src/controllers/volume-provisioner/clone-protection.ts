import { hasReason, mergePatch, type Observed, PersistentVolumeClaim } from '../../client/index.ts';
import { controller, type Part, watch } from '../../kit/index.ts';
import { CLONE_FINALIZER } from './data-source.ts';
import type { VolumeDriver } from './volume-driver.ts';

type Claim = Observed<PersistentVolumeClaim>;

/** Lets claims go that were the source of copies, once no copy is in progress any more. */
export function cloneProtection(driver: VolumeDriver): Part {
  return controller(PersistentVolumeClaim, {
    name: 'clone-protection',
    component: driver.name,
    watches: [
      watch(PersistentVolumeClaim, {
        to: (claim) => (sourceOf(claim) === undefined ? [] : [`${claim.metadata.namespace}/${sourceOf(claim)}`]),
      }),
    ],
    when: isLeaving,
    async reconcile(claim, { objects, key }) {
      if (!isLeaving(claim)) return;
      const { namespace, name, finalizers = [], resourceVersion } = claim.metadata;
      const claims = objects(PersistentVolumeClaim);
      const isCopied = claims
        .list({ namespace: namespace ?? '' })
        .some((copy) => sourceOf(copy) === name && copy.status?.phase === 'Pending');
      if (isCopied) return;
      const left = finalizers.filter((each) => each !== CLONE_FINALIZER);
      const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
      await claims.patch(key, patch).catch((error: unknown) => {
        if (!hasReason(error, 'NotFound')) throw error;
      });
    },
  });
}

function isLeaving({ metadata }: Claim): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(CLONE_FINALIZER) === true;
}

/** The claim that a claim is a copy of. */
function sourceOf({ spec }: Claim): string | undefined {
  return spec?.dataSource?.kind === 'PersistentVolumeClaim' ? spec.dataSource.name : undefined;
}
