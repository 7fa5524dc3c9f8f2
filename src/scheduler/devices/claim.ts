import type { DeviceClass, Observed, ResourceClaim } from '../../client/index.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { AllocationResult, ExactDeviceRequest } from '../../api/types/resource/v1.d.ts';
import type { Candidate } from './device.ts';

export type Claim = Observed<ResourceClaim>;
export type Allocation = DeepReadonly<AllocationResult>;

/** Maximum number of devices of a claim. */
export const MAX_DEVICES = 32;

/** A request, or one of its subrequests. */
export interface Wanted extends Pick<DeepReadonly<ExactDeviceRequest>, 'selectors' | 'tolerations'> {
  /** The request's name; for a subrequest `request/subrequest`. */
  readonly fullName: string;
  readonly request: string;
  readonly alternative?: string;
  readonly class: Observed<DeviceClass>;
  readonly count: number;
  readonly hasAdminAccess: boolean;
  readonly capacity: Readonly<Record<string, string>> | undefined;
  /** Set for allocation mode `All`: every matching device. */
  readonly all: readonly Candidate[] | undefined;
}

/** `namespace/name`, as in messages. */
export function nameOf({ metadata }: Claim): string {
  return `${metadata.namespace}/${metadata.name}`;
}
