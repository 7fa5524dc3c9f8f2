import { formatMicroTime, instantOfMillis } from '../../api/client.ts';
import { type Client, mergePatch } from '../../client/index.ts';
import type { ControlPlane } from '../../cluster/index.ts';
import type { ResourceRequest } from '../resource-request.ts';

const ADMIN = { user: 'kubernetes-admin', groups: ['system:masters'] };

/** Makes `holder` the holder of the Lease that a request names. */
export async function takeLease(plane: ControlPlane, request: ResourceRequest, holder: string): Promise<void> {
  await using client = plane.client(ADMIN, { userAgent: holder });
  await giveLease(client, request, holder);
}

/** The same with a client of any cluster. */
export async function giveLease(client: Client, request: ResourceRequest, holder: string): Promise<void> {
  const { namespace, name } = request;
  const leases = client.coordination.v1.leases.namespace(namespace);
  const { spec } = await leases.get(name);
  const now = formatMicroTime(instantOfMillis(client.clock.now()));
  const leaseTransitions = (spec?.leaseTransitions ?? 0) + 1;
  const taken = { holderIdentity: holder, acquireTime: now, renewTime: now, leaseTransitions };
  await leases.patch(name, mergePatch({ spec: taken }));
}
