import { isAssigned, isReservedForPod, lookUpClaim, notOwnClaim } from '../../api/meaning/index.ts';
import { index, keyOf, type Observed, Pod, ResourceClaim, ResourceClaimTemplate } from '../../client/index.ts';
import type { AppContext, Objects, Part, PreparedPart } from '../../kit/index.ts';
import { claimMetrics } from './claim-metrics.ts';
import { isPodDone, releaseClaim } from './release-claim.ts';
import { PodClaims } from './pod-claims.ts';

const NAME = 'resource-claim-controller';
const COMPONENT = 'resource_claim';
const CLAIMS_AT_ONCE = 50;

/** Pods by the claims that they use, as far as these have names. */
const podsByClaim = index(Pod, (pod) =>
  (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const found = lookUpClaim(pod, entry);
    return found.type === 'named' ? [`${pod.metadata.namespace}/${found.name}`] : [];
  }),
);

const podsByTemplate = index(Pod, (pod) =>
  (pod.spec?.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) =>
    name === undefined ? [] : [`${pod.metadata.namespace}/${name}`],
  ),
);

/** Creates the claims of pods from templates, and releases the claims of finished pods. */
export function resourceClaimController(): Part {
  return { name: NAME, prepare };
}

function prepare(context: AppContext): PreparedPart {
  const pods = context.objects(Pod);
  const claims = context.objects(ResourceClaim);
  const podClaims = new PodClaims({
    pods,
    claims,
    templates: context.objects(ResourceClaimTemplate),
    events: context.events(COMPONENT),
    created: claimMetrics(context.metrics, claims),
  });
  const workers = context.workers(COMPONENT, {
    concurrency: CLAIMS_AT_ONCE,
    async work(key) {
      const [what, object = ''] = key.split(':');
      await (what === 'pod' ? podClaims.settle(object) : releaseClaim(object, { pods, claims }));
    },
  });
  const podChanged = (pod: Observed<Pod>, isGone = false): void => {
    for (const claim of isGone || isPodDone(pod) ? claimsOf(pod) : []) workers.add(`claim:${claim}`);
    if (!isGone && hasWork(pod, claims)) workers.add(`pod:${keyOf(pod)}`);
  };
  const claimChanged = (claim: Observed<ResourceClaim>, isGone = false): void => {
    if (!isGone) workers.add(`claim:${keyOf(claim)}`);
    for (const pod of pods.byIndex(podsByClaim, keyOf(claim))) podChanged(pod);
  };
  const templateChanged = (template: Observed<ResourceClaimTemplate>): void => {
    for (const pod of pods.byIndex(podsByTemplate, keyOf(template))) podChanged(pod);
  };
  context.onChange(Pod, {
    add: (pod) => podChanged(pod),
    update: (pod) => podChanged(pod),
    delete: (pod) => podChanged(pod, true),
  });
  context.onChange(ResourceClaim, {
    add: (claim) => claimChanged(claim),
    update: (claim) => claimChanged(claim),
    delete: (claim) => claimChanged(claim, true),
  });
  context.onChange(ResourceClaimTemplate, { add: templateChanged, update: templateChanged });
  return { run: (signal) => workers.run(signal) };
}

/** The keys of all claims of the pod, including the one that the scheduler created for extended resources. */
function claimsOf(pod: Observed<Pod>): string[] {
  const names = (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const found = lookUpClaim(pod, entry);
    return found.type === 'named' ? [found.name] : [];
  });
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return [...names, ...(extended === undefined ? [] : [extended])].map((name) => `${pod.metadata.namespace}/${name}`);
}

/** Whether a claim must be created for the pod, or reserved for a pod whose node was set without the scheduler. */
function hasWork(pod: Observed<Pod>, claims: Objects<ResourceClaim>): boolean {
  if (pod.metadata.deletionTimestamp !== undefined || isPodDone(pod)) return false;
  return (pod.spec?.resourceClaims ?? []).some((entry) => {
    const found = lookUpClaim(pod, entry);
    if (found.type !== 'named') return found.type === 'absent';
    const claim = claims.get(`${pod.metadata.namespace}/${found.name}`);
    if (claim === undefined) return found.isOwn;
    // a different owner's claim with the name must be deleted first
    if (found.isOwn && notOwnClaim(pod, claim) !== undefined) return false;
    return isAssigned(pod) && isToBeReserved(claim, pod);
  });
}

function isToBeReserved(claim: Observed<ResourceClaim>, pod: Observed<Pod>): boolean {
  return claim.status?.allocation !== undefined && !isReservedForPod(claim, pod.metadata.uid);
}
