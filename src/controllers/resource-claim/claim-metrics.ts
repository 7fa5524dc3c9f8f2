import { EXTENDED_CLAIM_ANNOTATION, POD_CLAIM_ANNOTATION } from '../../api/meaning/index.ts';
import type { DeepReadonly, MetricRegistry } from '../../base/index.ts';
import type { Observed, ResourceClaim } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { countByLabels } from '../count-by-labels.ts';

/** Counts the creation of a claim. */
export type CountCreated = (status: 'success' | 'failure', claim: DeepReadonly<Pick<ResourceClaim, 'spec'>>) => void;

/** Metrics of claims, under kube-controller-manager's names. */
export function claimMetrics(metrics: MetricRegistry, claims: Objects<ResourceClaim>): CountCreated {
  const created = metrics.counter({
    name: 'resourceclaim_controller_creates_total',
    help: 'Claims that were to be made from templates, by how that went and whether they are for supervision.',
    labels: ['status', 'admin_access'],
  });
  metrics.callback(
    {
      name: 'resourceclaim_controller_resource_claims',
      help: 'Claims, by whether they have devices, whether they are for supervision, and who made them.',
      labels: ['allocated', 'admin_access', 'source'],
    },
    () =>
      countByLabels(
        claims.list().map((claim) => ({
          allocated: String(claim.status?.allocation !== undefined),
          admin_access: String(isForSupervision(claim)),
          source: sourceOf(claim),
        })),
      ),
  );
  return (status, claim) => created.with({ status, admin_access: String(isForSupervision(claim)) }).add();
}

function isForSupervision({ spec }: DeepReadonly<Pick<ResourceClaim, 'spec'>>): boolean {
  return (spec.devices?.requests ?? []).some(({ exactly }) => exactly?.adminAccess === true);
}

function sourceOf({ metadata: { annotations = {} } }: Observed<ResourceClaim>): string {
  if (annotations[EXTENDED_CLAIM_ANNOTATION] === 'true') return 'extended_resource';
  return (annotations[POD_CLAIM_ANNOTATION] ?? '') === '' ? '' : 'resource_claim_template';
}
