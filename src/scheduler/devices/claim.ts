import type { DeviceClass, Observed, ResourceClaim } from '../../client/index.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { AllocationResult, ExactDeviceRequest } from '../../api/types/resource/v1.d.ts';
import type { Candidate } from './device.ts';

export type Claim = Observed<ResourceClaim>;
export type Allocation = DeepReadonly<AllocationResult>;

/** More devices than this no claim can have. */
export const MOST_DEVICES = 32;

/** A request, or one of its alternatives. */
export interface Wanted extends Pick<DeepReadonly<ExactDeviceRequest>, 'selectors' | 'tolerations'> {
  /** The request's name; of alternatives with the alternative's. */
  readonly fullName: string;
  readonly request: string;
  readonly alternative?: string;
  readonly class: Observed<DeviceClass>;
  readonly count: number;
  readonly isForSupervision: boolean;
  readonly capacity: Readonly<Record<string, string>> | undefined;
  /** Undefined unless all devices that fit are wanted. */
  readonly all: readonly Candidate[] | undefined;
}

/** `namespace/name`, as messages have it. */
export function nameOf({ metadata }: Claim): string {
  return `${metadata.namespace}/${metadata.name}`;
}
