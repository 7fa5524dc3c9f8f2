import { checkObjectMeta, type FieldError, forbiddenField, invalid } from '../../api/index.ts';
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
import { subdomainName } from '../name-rules.ts';
import { statusAccessErrors } from './claim-status-access.ts';
import { checkClaimStatus } from './claim-status-rules.ts';
import { claimConversion, claimTemplateConversion } from './device-conversion.ts';
import { checkClaim, checkClaimTemplate, checkDeviceClass } from './claim-rules.ts';
import { ANNOUNCED, deprecatedVersions, GROUP } from './versions.ts';

/** The label, with the value `true`, of namespaces in which claims may use devices that others use (admin access). */
const SUPERVISION_LABEL = 'resource.kubernetes.io/admin-access';

/** Whether the namespace permits admin access; otherwise the problem, at the place that asks for it. */
function supervisionCheck({
  objects,
}: KindEnvironment): (metadata: ObjectMeta, field: string) => Promise<FieldError[]> {
  const namespaces = objects.of('', 'namespaces');
  return async (metadata, field) => {
    const namespace = await namespaces.get('', metadata.namespace ?? '');
    if (namespace?.metadata.labels?.[SUPERVISION_LABEL] === 'true') return [];
    const detail = `admin access to devices requires the \`${SUPERVISION_LABEL}: true\` label on the containing namespace`;
    return [forbiddenField(`${field}.adminAccess`, detail)];
  };
}

type OtherProblems = () => readonly FieldError[];

/** Allows claims with admin access only if the namespace permits it. `others` is what else is wrong with a refused claim. */
function supervisionGuard(
  environment: KindEnvironment,
  kind: string,
): (metadata: ObjectMeta, requests: readonly DeviceRequest[] | undefined, others: OtherProblems) => Promise<void> {
  const check = supervisionCheck(environment);
  return async (metadata, requests, others) => {
    const at = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
    if (at < 0) return;
    const refused = await check(metadata, `spec.devices.requests[${at}]`);
    if (refused.length === 0) return;
    const ofMetadata = checkObjectMeta(metadata, { namespaced: true, checkName: subdomainName });
    throw invalid({ group: GROUP, resource: kind }, metadata.name ?? '', [...refused, ...ofMetadata, ...others()]);
  };
}

/** The first result of an allocation with admin access. */
function supervisedResult({ status }: Whole<ResourceClaim>): number {
  return (status.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess === true);
}

export function resourceClaims(environment: KindEnvironment): Kind {
  const guard = supervisionGuard(environment, 'ResourceClaim');
  const check = supervisionCheck(environment);
  return defineKind<ResourceClaim>({
    changeSteps: ['metadata', 'metadataChange', 'change'],
    group: GROUP,
    plural: 'resourceclaims',
    columns: [
      nameColumn,
      column('State', 'Whether devices are allocated, and whether pods have reserved them', claimState),
      ageColumn,
    ],
    conversions: { v1beta1: claimConversion, v1alpha3: claimConversion },
    announcedVersions: ANNOUNCED,
    deprecations: deprecatedVersions('ResourceClaim'),
    returnsDeletedObject: true,
    statusMetadata: 'owned',
    applyDefaults: ({ spec }) => defaultRequests(spec.devices?.requests),
    prepareForCreate: (claim) => guard(claim.metadata, claim.spec.devices?.requests, () => checkClaim(claim)),
    async prepareForStatusUpdate(claim, old, context) {
      dropFreedDevices(claim, old);
      const { authorizer } = environment.accessReviewer ?? {};
      const { name = '', namespace = '' } = claim.metadata;
      const change = { status: claim.status, old: old.status, namespace };
      const supervised = supervisedResult(claim);
      const refused = [
        ...(supervised < 0 || supervisedResult(old) >= 0
          ? []
          : await check(claim.metadata, `status.allocation.devices.results[${supervised}]`)),
        ...(authorizer === undefined ? [] : await statusAccessErrors(authorizer, change, context)),
      ];
      if (refused.length === 0) return;
      throw invalid({ group: GROUP, resource: 'ResourceClaim' }, name, [...refused, ...checkClaimStatus(claim, old)]);
    },
    validate: checkClaim,
    validateStatus: checkClaimStatus,
  });
}

export function resourceClaimTemplates(environment: KindEnvironment): Kind {
  const guard = supervisionGuard(environment, 'ResourceClaimTemplate');
  return defineKind<ResourceClaimTemplate>({
    changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
    group: GROUP,
    plural: 'resourceclaimtemplates',
    columns: [nameColumn, ageColumn],
    conversions: { v1beta1: claimTemplateConversion, v1alpha3: claimTemplateConversion },
    announcedVersions: ANNOUNCED,
    deprecations: deprecatedVersions('ResourceClaimTemplate'),
    returnsDeletedObject: true,
    applyDefaults: ({ spec }) => defaultRequests(spec.spec.devices?.requests),
    prepareForCreate: (template) =>
      guard(template.metadata, template.spec.spec?.devices?.requests, () => checkClaimTemplate(template)),
    validate: checkClaimTemplate,
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
  changeSteps: ['metadata', 'metadataChange', 'object'],
  group: GROUP,
  plural: 'deviceclasses',
  metadataRules: 'own except prefixes',
  columns: [nameColumn, ageColumn],
  announcedVersions: ANNOUNCED,
  deprecations: deprecatedVersions('DeviceClass'),
  returnsDeletedObject: true,
  raisesGeneration: changes('spec'),
  validate: checkDeviceClass,
});
