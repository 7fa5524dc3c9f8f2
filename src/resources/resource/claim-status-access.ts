import { type FieldError, forbiddenField } from '../../api/index.ts';
import type { AllocationResult, ResourceClaim, ResourceClaimStatus } from '../../api/types/resource/v1.d.ts';
import { type Authorizer, refusal, type RequestInfo, type UserInfo, type WriteContext } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import { GROUP } from './versions.ts';

type Status = Whole<ResourceClaim>['status'];
type DeviceStatus = NonNullable<ResourceClaimStatus['devices']>[number];

/** An additional permission that a status update needs. */
interface Permission {
  readonly verb: string;
  readonly subresource: 'binding' | 'driver';
  readonly namespace: string;
  readonly name: string;
}

/**
 * The changes that the writer of a claim's status is not permitted to make. Allocating and reserving needs the permission
 * for `resourceclaims/binding` in the whole cluster, a driver's device status that for `resourceclaims/driver`, with the
 * driver's name.
 */
export async function statusAccessErrors(
  authorizer: Authorizer,
  { status, old, namespace }: { readonly status: Status; readonly old: Status; readonly namespace: string },
  context: Pick<WriteContext, 'user' | 'verb' | 'signal'>,
): Promise<FieldError[]> {
  const { verb } = context;
  const errors: FieldError[] = [];
  if (!isSame(status.allocation, old.allocation) || !isSame(status.reservedFor ?? [], old.reservedFor ?? [])) {
    const why = await whyNot(authorizer, context, [{ verb, subresource: 'binding', namespace: '', name: '' }]);
    const what = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}"`;
    if (why !== undefined) errors.push(forbiddenField('status.allocation', `${what} permission: ${why}`));
  }
  if (status.allocation === undefined) return errors;
  const isOnNode = isAssociated(context.user, nodeOf(status.allocation));
  const verbs = [...(isOnNode ? [`associated-node:${verb}`] : []), `arbitrary-node:${verb}`];
  for (const name of changedDrivers(status.devices ?? [], old.devices ?? [])) {
    const ways = verbs.map((one) => ({ verb: one, subresource: 'driver' as const, namespace, name }));
    const why = await whyNot(authorizer, context, ways);
    const what = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]"`;
    if (why !== undefined) errors.push(forbiddenField('status.devices', `${what} permission: ${why}`));
  }
  return errors;
}

/** Undefined if the user has one of the permissions, otherwise why the first is denied. */
async function whyNot(
  authorizer: Authorizer,
  { user, signal }: Pick<WriteContext, 'user' | 'signal'>,
  permissions: readonly Permission[],
): Promise<string | undefined> {
  let first: string | undefined;
  for (const { verb, subresource, namespace, name } of permissions) {
    const resource = 'resourceclaims';
    const parts = [resource, name, subresource].filter((part) => part !== '');
    const place = { group: GROUP, version: 'v1', resource, subresource, namespace, name };
    const info: RequestInfo = { isResource: true, path: '', subpath: '', parts, verb, ...place };
    const { verdict, reason, error } = await authorizer.authorize({ user, info, signal });
    if (verdict === 'allow') return undefined;
    const said = [error, reason].filter((part) => part !== undefined && part !== '').join(': ');
    first ??= refusal({ info, user }, said).message;
  }
  return first;
}

/** The drivers of devices whose entries were added, removed or changed, in order. */
function changedDrivers(devices: readonly DeviceStatus[], old: readonly DeviceStatus[]): readonly string[] {
  const known = new Map(old.map((device) => [keyOf(device), device]));
  const drivers = new Set<string>();
  for (const device of devices) {
    if (!isSame(known.get(keyOf(device)), device)) drivers.add(device.driver);
    known.delete(keyOf(device));
  }
  for (const { driver } of known.values()) drivers.add(driver);
  return [...drivers].sort();
}

function keyOf({ driver, pool, device, shareID = '' }: DeviceStatus): string {
  return JSON.stringify([driver, pool, device, shareID]);
}

/** The node of the devices; empty if there is none, or possibly several. */
function nodeOf({ nodeSelector }: AllocationResult): string {
  const [term, ...others] = nodeSelector?.nodeSelectorTerms ?? [];
  const { matchExpressions = [], matchFields = [] } = term ?? {};
  const [field, ...more] = matchFields;
  if (others.length + matchExpressions.length + more.length > 0 || field === undefined) return '';
  const { key, operator, values = [] } = field;
  return key === 'metadata.name' && operator === 'In' && values.length === 1 ? (values[0] ?? '') : '';
}

/** Whether the user is a service account whose token is bound to a pod on the node. */
function isAssociated({ name, extra = {} }: UserInfo, node: string): boolean {
  const nodes = extra['authentication.kubernetes.io/node-name'] ?? [];
  const isServiceAccount = /^system:serviceaccount:[^:]+:[^:]+$/.test(name);
  return node !== '' && isServiceAccount && nodes.length === 1 && nodes[0] === node;
}

function isSame(one: unknown, other: unknown): boolean {
  return deepEqual(one, other);
}
