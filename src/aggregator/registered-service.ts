import type { ApiObject, GroupVersion, Priority } from '../api/index.ts';
import { formatTime, instantOfMillis } from '../api/index.ts';
import type { APIService, APIServiceCondition, APIServiceSpec } from '../api/types/apiregistration/v1.d.ts';

export const API_SERVICES = { group: 'apiregistration.k8s.io', plural: 'apiservices' } as const;
/** The collection of APIServices. */
export const API_SERVICES_PATH = `/apis/${API_SERVICES.group}/v1/${API_SERVICES.plural}`;

/** An APIService as it is stored. */
export interface StoredApiService extends Omit<APIService, 'metadata' | 'spec'> {
  readonly metadata: ApiObject['metadata'] & { readonly name: string };
  readonly spec: APIServiceSpec;
}

/** A group and version that another server serves, and how that server is reached and recognised. */
export interface RemoteService extends GroupVersion {
  /** The name of the APIService. */
  readonly name: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly priority: Priority;
  readonly isInsecure: boolean;
  /** Base64 of PEM, as in the object. */
  readonly caBundle?: string;
  readonly isAvailable: boolean;
}

const HTTPS_PORT = 443;
/** Marks an APIService that the server maintains. */
export const MANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';

/** A group and version of this server, and the priority of its registration. */
export interface LocalVersion extends GroupVersion {
  readonly priority: Priority;
}

/** The local version of an APIService; undefined when another server answers. */
export function localVersion({ spec }: StoredApiService): LocalVersion | undefined {
  const { service, group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  if (service !== undefined) return undefined;
  return { group, version, priority: { group: groupPriorityMinimum, version: versionPriority } };
}

/** The remote server of an APIService; undefined when this server answers itself. */
export function remoteService({ metadata, spec, status }: StoredApiService): RemoteService | undefined {
  const { service, group = '', version = '', caBundle, insecureSkipTLSVerify = false } = spec;
  if (service === undefined) return undefined;
  const { namespace = '', name = '', port = HTTPS_PORT } = service;
  return {
    name: metadata.name,
    group,
    version,
    service: { namespace, name, port },
    priority: { group: spec.groupPriorityMinimum, version: spec.versionPriority },
    isInsecure: insecureSkipTLSVerify,
    ...(caBundle === undefined ? {} : { caBundle }),
    isAvailable: status?.conditions?.some((each) => each.type === AVAILABLE && each.status === 'True') === true,
  };
}

export function apiServiceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

/** The path of a group and version; the core group has a different one. */
export function groupVersionPath({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

const AVAILABLE = 'Available';

/** Whether an API can be used, and why. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function availabilityOf({ status }: StoredApiService): APIServiceCondition | undefined {
  return status?.conditions?.find(({ type }) => type === AVAILABLE);
}

/** The object with its condition updated; the same object when it is already right. */
export function withAvailability(object: StoredApiService, found: Availability, nowMs: number): StoredApiService {
  const known = availabilityOf(object);
  if (known?.status === found.status && known.reason === found.reason && known.message === found.message) return object;
  const isNewStatus = known?.status !== found.status;
  const time = isNewStatus ? formatTime(instantOfMillis(nowMs)) : known?.lastTransitionTime;
  const condition = { type: AVAILABLE, ...found, ...(time === undefined ? {} : { lastTransitionTime: time }) };
  const conditions = object.status?.conditions ?? [];
  return {
    ...object,
    status: {
      ...object.status,
      conditions:
        known === undefined
          ? [...conditions, condition]
          : conditions.map((each) => (each === known ? condition : each)),
    },
  };
}
