import type { DeepReadonly } from '../../base/index.ts';
import type { DeviceClass, Observed } from '../../client/index.ts';
import type { DeviceRequest, DeviceSubRequest, ExactDeviceRequest } from '../../api/types/resource/v1.d.ts';
import type { Lister } from '../framework/plugin-context.ts';
import { type Claim, MAX_DEVICES, nameOf, type Wanted } from './claim.ts';
import { type Candidate, deviceId, type Pool } from './device.ts';

/** The requests of a claim, each with its alternatives, best first. */
export interface WantedClaim {
  readonly claim: Claim;
  readonly requests: readonly (readonly Wanted[])[];
}

interface WantedContext {
  readonly classes: Lister<DeviceClass>;
  readonly pools: readonly Pool[];
  /** Whether the device can satisfy the request, regardless of allocations. */
  isSuitable(wanted: Wanted, candidate: Candidate, claim: Claim): boolean;
}

/** Resolves the claim's requests. Throws when they are invalid or cannot be resolved now. */
export function wantedOf(claim: Claim, context: WantedContext): WantedClaim {
  const requests = (claim.spec.devices?.requests ?? []).map((request) => alternativesOf(claim, request, context));
  const least = requests.reduce((sum, ways) => sum + Math.min(...ways.map(countOf)), 0);
  if (least > MAX_DEVICES) {
    const problem = `number of requested devices ${least} exceeds the claim limit of ${MAX_DEVICES}`;
    throw new Error(`claim ${nameOf(claim)}: ${problem}`);
  }
  return { claim, requests };
}

/** How many devices the request needs. */
export function countOf({ all, count }: Wanted): number {
  return all?.length ?? count;
}

function alternativesOf(claim: Claim, request: DeepReadonly<DeviceRequest>, context: WantedContext): readonly Wanted[] {
  const { name, exactly, firstAvailable = [] } = request;
  if (exactly !== undefined) return [wanted(claim, { ...exactly, request: name, name }, context)];
  return firstAvailable.map((alternative) => wanted(claim, { ...alternative, request: name }, context));
}

type Way = DeepReadonly<DeviceSubRequest & Pick<ExactDeviceRequest, 'adminAccess'>> & { readonly request: string };

function wanted(claim: Claim, way: Way, context: WantedContext): Wanted {
  const { request, name, deviceClassName, adminAccess, allocationMode, selectors, tolerations } = way;
  const isAlternative = name !== request;
  const problem = (text: string): never => {
    throw new Error(`claim ${nameOf(claim)}, request ${name}: ${text}`);
  };
  const deviceClass: Observed<DeviceClass> =
    context.classes.get(deviceClassName) ??
    problem(`could not retrieve device class ${deviceClassName}: ${classNotFound(deviceClassName)}`);
  const plain: Wanted = {
    fullName: isAlternative ? `${request}/${name}` : name,
    request,
    ...(isAlternative ? { alternative: name } : {}),
    class: deviceClass,
    count: way.count ?? 1,
    hasAdminAccess: adminAccess === true,
    capacity: way.capacity?.requests as Wanted['capacity'],
    selectors,
    tolerations,
    all: undefined,
  };
  if (allocationMode !== 'All') return plain;
  const all: Candidate[] = [];
  for (const pool of context.pools) {
    const of = `asks for all devices, but resource pool ${pool.driver}/${pool.name}`;
    if (pool.state === 'incomplete') problem(`${of} is currently being updated`);
    if (pool.state === 'invalid') problem(`${of} is currently invalid`);
    for (const candidate of candidatesIn(pool)) if (context.isSuitable(plain, candidate, claim)) all.push(candidate);
  }
  return { ...plain, all };
}

function classNotFound(name: string): string {
  return `deviceclass.resource.k8s.io ${JSON.stringify(name)} not found`;
}

/** The devices of a pool, in the order in which they are tried. */
export function candidatesIn(pool: Pool): Candidate[] {
  return pool.slices.flatMap((slice) =>
    (slice.spec.devices ?? []).map((device) => {
      const id = deviceId(pool.driver, pool.name, device.name);
      return { id, device, slice, pool };
    }),
  );
}
