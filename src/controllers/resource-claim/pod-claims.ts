import {
  controllerOf,
  isAssigned,
  isFinished,
  isReservedForPod,
  lookUpClaim,
  notOwnClaim,
  POD_CLAIM_ANNOTATION,
} from '../../api/meaning/index.ts';
import {
  index,
  type Observed,
  type Pod,
  ResourceClaim,
  type ResourceClaimTemplate,
  type Sendable,
} from '../../client/index.ts';
import type { EventRecorder, Objects } from '../../kit/index.ts';
import type { CountCreated } from './claim-metrics.ts';

type Entry = NonNullable<NonNullable<Observed<Pod>['spec']>['resourceClaims']>[number];

/** Maximum length of the prefix of a generated name, which gets a hyphen and five characters. */
const MAX_PREFIX_LENGTH = 57;
const FIELD_MANAGER = 'ResourceClaimController';

const claimsByPod = index(ResourceClaim, (claim) => {
  const owner = controllerOf(claim);
  return owner?.apiVersion === 'v1' && owner.kind === 'Pod' ? [owner.uid] : [];
});

export interface PodClaimsParts {
  readonly pods: Objects<Pod>;
  readonly claims: Objects<ResourceClaim>;
  readonly templates: Objects<ResourceClaimTemplate>;
  readonly events: EventRecorder;
  readonly created: CountCreated;
}

/** Creates pods' claims from templates, and reserves claims for pods that were not bound by the scheduler. */
export class PodClaims {
  readonly #parts: PodClaimsParts;

  constructor(parts: PodClaimsParts) {
    this.#parts = parts;
  }

  async settle(key: string): Promise<void> {
    const pod = this.#parts.pods.get(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) return;
    const named = await this.#nameClaims(pod);
    if (isAssigned(named)) await this.#reserveAll(named);
  }

  /** Creates the missing claims and writes their names to the pod's status. */
  async #nameClaims(pod: Observed<Pod>): Promise<Observed<Pod>> {
    const { name, namespace } = pod.metadata;
    const statuses: { name: string; resourceClaimName?: string }[] = [];
    let isNew = false;
    for (const entry of pod.spec?.resourceClaims ?? []) {
      const made = await this.#claimFor(pod, entry);
      isNew ||= made !== undefined;
      const known = pod.status?.resourceClaimStatuses?.find((status) => status.name === entry.name);
      if (made !== undefined) statuses.push({ name: entry.name, resourceClaimName: made });
      else if (known !== undefined) statuses.push(known); // a status without the name would remove it
    }
    if (!isNew) return pod;
    const stated = { metadata: { name, namespace }, status: { resourceClaimStatuses: statuses } };
    return await this.#parts.pods.applyStatus(stated as Sendable<Pod>, { fieldManager: FIELD_MANAGER, force: true });
  }

  /** The name of a claim that is not in the pod's status yet. */
  async #claimFor(pod: Observed<Pod>, entry: Entry): Promise<string | undefined> {
    const found = lookUpClaim(pod, entry);
    try {
      if (found.type === 'absent' && !found.isToBeMade)
        throw new Error(`checking for claim before creating it: ${found.problem}`);
      if (found.type === 'unneeded') return undefined;
      if (found.type === 'named') {
        const claim = this.#parts.claims.get(`${pod.metadata.namespace}/${found.name}`);
        if (claim !== undefined && (!found.isOwn || notOwnClaim(pod, claim) === undefined)) return undefined;
      }
      if (entry.resourceClaimTemplateName === undefined) return undefined; // the pod references an existing claim, which its user must create
      const orphan = this.#parts.claims
        .byIndex(claimsByPod, pod.metadata.uid)
        .find(({ metadata }) => metadata.annotations?.[POD_CLAIM_ANNOTATION] === entry.name);
      return (orphan ?? (await this.#create(pod, entry))).metadata.name;
    } catch (error) {
      const message = `PodResourceClaim ${entry.name}: ${(error as Error).message}`;
      this.#parts.events.event(pod, { type: 'Warning', reason: 'FailedResourceClaimCreation', message });
      throw error;
    }
  }

  async #create(pod: Observed<Pod>, entry: Entry): Promise<Observed<ResourceClaim>> {
    const { name, namespace = '', uid } = pod.metadata;
    const templateName = entry.resourceClaimTemplateName ?? '';
    const template = this.#parts.templates.get(`${namespace}/${templateName}`);
    if (template === undefined) {
      const quoted = JSON.stringify(templateName);
      throw new Error(`resource claim template ${quoted}: resourceclaimtemplate.resource.k8s.io ${quoted} not found`);
    }
    const { metadata = {}, spec } = template.spec;
    const wanted: Sendable<ResourceClaim> = {
      metadata: {
        namespace,
        generateName: claimPrefix(name, entry.name),
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
        annotations: { ...metadata.annotations, [POD_CLAIM_ANNOTATION]: entry.name },
        labels: metadata.labels,
      },
      spec,
    };
    try {
      const claim = await this.#parts.claims.create(wanted);
      this.#parts.created('success', template.spec);
      return claim;
    } catch (cause) {
      this.#parts.created('failure', template.spec);
      throw new Error(`create ResourceClaim : ${(cause as Error).message}`, { cause });
    }
  }

  /** Reserves the claims of a pod whose node was set without the scheduler. */
  async #reserveAll(pod: Observed<Pod>): Promise<void> {
    for (const entry of pod.spec?.resourceClaims ?? []) {
      const found = lookUpClaim(pod, entry);
      if (found.type !== 'named') continue;
      const claim = this.#parts.claims.get(`${pod.metadata.namespace}/${found.name}`);
      if (claim === undefined) return;
      const problem = found.isOwn ? notOwnClaim(pod, claim) : undefined;
      if (problem !== undefined) throw new Error(problem);
      if (claim.status?.allocation !== undefined && !isReservedForPod(claim, pod.metadata.uid))
        await this.#reserve(claim, pod);
    }
  }

  async #reserve(claim: Observed<ResourceClaim>, { metadata: { name, uid } }: Observed<Pod>): Promise<void> {
    const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: 'pods', name, uid }];
    await this.#parts.claims.updateStatus({
      ...claim,
      status: { ...claim.status, reservedFor },
    } as Sendable<ResourceClaim>);
  }
}

/** `pod-claim-`; if that is too long, both names are truncated in proportion. */
function claimPrefix(pod: string, claim: string): string {
  const whole = `${pod}-${claim}-`;
  if (whole.length <= MAX_PREFIX_LENGTH) return whole;
  const cut = (text: string): string => text.slice(0, Math.floor((text.length * MAX_PREFIX_LENGTH) / whole.length));
  return `${cut(pod)}-${cut(claim)}`;
}
