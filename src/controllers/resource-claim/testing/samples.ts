// Pods, claims and templates for scenarios, and what a scheduler and a kubelet would do to them.
import type { PodResourceClaim } from '../../../api/types/core/v1.d.ts';
import { mergePatch, Pod, ResourceClaim, ResourceClaimTemplate } from '../../../client/index.ts';
import { CLAIM_FINALIZER } from '../../../api/meaning/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';

const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] };

export async function createTemplate(world: ScenarioWorld, name: string, adminAccess?: boolean): Promise<void> {
  const requests = devices.requests.map(({ name: request, exactly }) => ({
    name: request,
    exactly: { ...exactly, adminAccess },
  }));
  await world.create(ResourceClaimTemplate, {
    metadata: { name },
    spec: { metadata: { labels: { made: 'so' }, annotations: { by: name } }, spec: { devices: { requests } } },
  });
}

export async function createClaim(world: ScenarioWorld, name: string): Promise<void> {
  await world.create(ResourceClaim, { metadata: { name }, spec: { devices } });
}

interface PodOptions {
  /** Sets the pod's node directly, without the scheduler. */
  readonly nodeName?: string;
}

export async function createPod(
  world: ScenarioWorld,
  name: string,
  { resourceClaims, nodeName }: PodOptions & { readonly resourceClaims: PodResourceClaim[] },
): Promise<void> {
  const claims = resourceClaims.map((claim) => ({ name: claim.name }));
  await world.create(Pod, {
    metadata: { name },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'nginx', resources: { claims } }],
      resourceClaims,
    },
  });
}

/** The name of the claim that was generated for an entry of a pod. */
export async function madeFor(world: ScenarioWorld, pod: string, entry: string): Promise<string> {
  const { status } = await world.pods.get(pod);
  return status?.resourceClaimStatuses?.find(({ name }) => name === entry)?.resourceClaimName ?? '';
}

/**
 * Allocates a device to a claim and reserves it for pods, as the scheduler does; pods by name, other consumers as they
 * are.
 */
export async function allocate(
  world: ScenarioWorld,
  name: string,
  reservedFor: readonly (string | object)[],
): Promise<void> {
  const consumers = await Promise.all(
    reservedFor.map(async (consumer) => {
      if (typeof consumer !== 'string') return consumer;
      const { uid } = (await world.pods.get(consumer)).metadata;
      return { resource: 'pods', name: consumer, uid };
    }),
  );
  const claims = world.of(ResourceClaim);
  await claims.patch(name, mergePatch({ metadata: { finalizers: [CLAIM_FINALIZER] } }));
  const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: 'n1', device: 'gpu-0' }];
  await world.changeStatus(ResourceClaim, name, {
    allocation: { devices: { results } },
    ...(consumers.length === 0 ? {} : { reservedFor: consumers }),
  });
}

export async function setPhase(world: ScenarioWorld, pod: string, phase: string): Promise<void> {
  await world.changeStatus(Pod, pod, { phase });
}
