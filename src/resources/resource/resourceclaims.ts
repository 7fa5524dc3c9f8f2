import { forbiddenField, invalid } from '../../api/index.ts';
import type { ObjectMeta } from '../../api/types/meta/v1.d.ts';
import type {
  DeviceClass,
  DeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../api/types/resource/v1.d.ts';
import { changes } from '../change.ts';
import { ageColumn, column, each, nameColumn } from '../columns/column.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { statusAccessErrors } from './claim-status-access.ts';
import { checkClaimStatus } from './claim-status-rules.ts';
import { claimConversion, claimTemplateConversion } from './device-conversion.ts';
import { checkClaim, checkClaimTemplate, checkDeviceClass, checkDeviceClassUpdate } from './device-rules.ts';
import { deprecatedVersions, GROUP } from './versions.ts';

const EXPRESSION = 'selectors.cel.expression';

/** The label, with the value `true`, of namespaces in which claims may use devices that others use (admin access). */
const SUPERVISION_LABEL = 'resource.kubernetes.io/admin-access';

/** Allows claims with admin access only if the namespace permits it. */
function supervisionGuard(
  { objects }: KindEnvironment,
  kind: string,
): (metadata: ObjectMeta, requests: readonly DeviceRequest[] | null | undefined) => Promise<void> {
  const namespaces = objects.of('', 'namespaces');
  return async (metadata, requests) => {
    const at = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
    if (at < 0) return;
    const namespace = await namespaces.get('', metadata.namespace ?? '');
    if (namespace?.metadata.labels?.[SUPERVISION_LABEL] === 'true') return;
    const detail = `admin access to devices requires the \`${SUPERVISION_LABEL}: true\` label on the containing namespace`;
    const errors = [forbiddenField(`spec.devices.requests[${at}].adminAccess`, detail)];
    throw invalid({ group: GROUP, resource: kind }, metadata.name ?? '', errors);
  };
}

export function resourceClaims(environment: KindEnvironment): Kind {
  const guard = supervisionGuard(environment, 'ResourceClaim');
  return defineKind<ResourceClaim>({
    group: GROUP,
    plural: 'resourceclaims',
    columns: [
      nameColumn,
      column('State', 'Whether devices are allocated, and whether pods have reserved them', claimState),
      ageColumn,
    ],
    conversions: { v1beta1: claimConversion },
    deprecations: deprecatedVersions('ResourceClaim'),
    returnsDeletedObject: true,
    statusMetadata: 'owned',
    applyDefaults: ({ spec }) => defaultRequests(spec.devices?.requests),
    prepareForCreate: (claim) => guard(claim.metadata, claim.spec.devices?.requests),
    async prepareForStatusUpdate(claim, old, context) {
      dropFreedDevices(claim, old);
      const { authorizer } = environment.accessReviewer ?? {};
      if (authorizer === undefined) return;
      const { name = '', namespace = '' } = claim.metadata;
      const refused = await statusAccessErrors(
        authorizer,
        { status: claim.status, old: old.status, namespace },
        context,
      );
      if (refused.length === 0) return;
      throw invalid({ group: GROUP, resource: 'ResourceClaim' }, name, [...refused, ...checkClaimStatus(claim, old)]);
    },
    ownRulesFor: ['exactly', 'firstAvailable'].map((way) => `spec.devices.requests.${way}.${EXPRESSION}`),
    validate: checkClaim,
    validateUpdate: () => [], // the spec is immutable
    validateStatus: checkClaimStatus,
  });
}

export function resourceClaimTemplates(environment: KindEnvironment): Kind {
  const guard = supervisionGuard(environment, 'ResourceClaimTemplate');
  return defineKind<ResourceClaimTemplate>({
    group: GROUP,
    plural: 'resourceclaimtemplates',
    columns: [nameColumn, ageColumn],
    conversions: { v1beta1: claimTemplateConversion },
    deprecations: deprecatedVersions('ResourceClaimTemplate'),
    returnsDeletedObject: true,
    applyDefaults: ({ spec }) => defaultRequests(spec.spec.devices?.requests),
    prepareForCreate: (template) => guard(template.metadata, template.spec.spec?.devices?.requests),
    ownRulesFor: ['exactly', 'firstAvailable'].map((way) => `spec.spec.devices.requests.${way}.${EXPRESSION}`),
    validate: checkClaimTemplate,
    validateUpdate: () => [], // the spec is immutable
  });
}

interface Device {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

function idOf({ driver, pool, device, shareID = '' }: Device): string {
  return `${driver}/${pool}/${device}/${shareID}`;
}

/** Drops the status of devices that are no longer allocated. */
function dropFreedDevices(claim: Whole<ResourceClaim>, old: Whole<ResourceClaim>): void {
  const { devices } = claim.status;
  if (devices === undefined) return;
  const freed = new Set((old.status.allocation?.devices?.results ?? []).map(idOf));
  for (const result of claim.status.allocation?.devices?.results ?? []) freed.delete(idOf(result));
  const kept = devices.filter((device) => !freed.has(idOf(device)));
  claim.status = { ...claim.status, devices: kept.length === 0 ? undefined : kept };
}

interface CountedRequest {
  allocationMode?: string;
  count?: number;
}

/** The default count is 1. */
function defaultCount(request: CountedRequest): void {
  if (request.allocationMode === 'ExactCount' && (request.count ?? 0) === 0) request.count = 1;
}

interface AnyRequest extends CountedRequest {
  deviceClassName?: string;
  exactly?: CountedRequest;
  firstAvailable?: CountedRequest[];
}

/** Requests of all versions: v1beta1 has flat what later ones have under `exactly`. */
function defaultRequests(requests: readonly AnyRequest[] | undefined): void {
  for (const request of requests ?? []) {
    if (request.exactly !== undefined) defaultCount(request.exactly);
    if ((request.deviceClassName ?? '') !== '') {
      request.allocationMode ||= 'ExactCount';
      defaultCount(request);
    }
    for (const alternative of request.firstAvailable ?? []) defaultCount(alternative);
  }
}

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata?.deletionTimestamp !== undefined;
  const states = isDeleted ? ['deleted'] : [];
  if (status?.allocation !== undefined)
    states.push('allocated', ...(each(status.reservedFor).length > 0 ? ['reserved'] : []));
  else if (!isDeleted) states.push('pending');
  return states.join(',');
}

export const deviceClasses = defineKind<DeviceClass>({
  group: GROUP,
  plural: 'deviceclasses',
  columns: [nameColumn, ageColumn],
  deprecations: deprecatedVersions('DeviceClass'),
  returnsDeletedObject: true,
  raisesGeneration: changes('spec'),
  ownRulesFor: [`spec.${EXPRESSION}`],
  validate: checkDeviceClass,
  validateUpdate: checkDeviceClassUpdate,
});
