import type { Clock } from '../../base/index.ts';
import { DeviceClass, type Node, type Observed, ResourceSlice } from '../../client/index.ts';
import type { Lister, SharedContext } from '../framework/plugin-context.ts';
import type { AllocatedDevices } from './allocated-devices.ts';
import { allocationResult } from './allocation-result.ts';
import { takenOf } from './capacity.ts';
import { type Allocation, type Claim, nameOf, type Wanted } from './claim.ts';
import type { Candidate, Pool } from './device.ts';
import { poolsFor, type PoolSources, reaches } from './pools.ts';
import { type DeviceSelection, SelectorError } from './selection.ts';
import { DeviceSearch, type SearchLimits } from './search.ts';
import { candidatesIn, wantedOf } from './wanted.ts';

/** The node cannot get the devices because its pools are inconsistent; other nodes may. */
export class InvalidPoolsError extends Error {
  override readonly name = 'InvalidPoolsError';
}

export interface AllocatorParts extends PoolSources {
  readonly classes: Lister<DeviceClass>;
  /** The candidates of pools that were expanded before. */
  readonly candidates: WeakMap<Pool, readonly Candidate[]>;
  readonly selection: DeviceSelection;
  readonly limits: SearchLimits & { readonly clock: Clock };
}

export function allocatorListers({ objects }: SharedContext): Pick<AllocatorParts, 'classes' | 'slices'> {
  return { classes: objects(DeviceClass), slices: objects(ResourceSlice) };
}

/** Finds devices for a pod's claims on one node at a time, given what was allocated when the attempt began. */
export class Allocator {
  readonly #parts: AllocatorParts;
  readonly #allocated: AllocatedDevices;

  constructor(parts: AllocatorParts, allocated: AllocatedDevices) {
    this.#parts = parts;
    this.#allocated = allocated;
  }

  /**
   * Allocates devices for all claims together; undefined when the node does not have them.
   *
   * Throws for an invalid claim or class, `InvalidPoolsError` for inconsistent pools and `SearchTimeout` when there are
   * too many combinations.
   */
  allocate(node: Observed<Node>, claims: readonly Claim[]): readonly Allocation[] | undefined {
    const { classes, slices, known, candidates, limits } = this.#parts;
    const pools = poolsFor(node, { slices, known });
    const suitable = this.#suitabilityOn(node);
    const fits = (wanted: Wanted, candidate: Candidate, claim: Claim): boolean =>
      suitable(wanted, candidate, claim) &&
      takenOf(candidate.device, wanted.capacity, this.#allocated.taken(candidate.id)) !== undefined;
    const wanted = claims.map((claim) => wantedOf(claim, { classes, pools, isSuitable: fits }));
    const search = new DeviceSearch(wanted, {
      candidates: pools.filter(({ state }) => state === 'usable').flatMap((pool) => candidatesOf(pool, candidates)),
      allocated: this.#allocated,
      isSuitable: suitable,
      limits,
    });
    const found = search.run();
    if (found !== undefined) return found.map((chosen, at) => allocationResult(claims[at] as Claim, chosen, node));
    if (pools.some(({ state }) => state === 'invalid'))
      throw new InvalidPoolsError('invalid resource pools were encountered');
    return undefined;
  }

  /**
   * Whether class, request and the device's node restrictions match, regardless of allocations. Results are cached for
   * the node.
   */
  #suitabilityOn(node: Observed<Node>): (wanted: Wanted, candidate: Candidate, claim: Claim) => boolean {
    const known = new Map<Wanted, Map<Candidate['device'], boolean>>();
    return (wanted, candidate, claim) => {
      const answers = known.get(wanted) ?? new Map<Candidate['device'], boolean>();
      known.set(wanted, answers);
      let answer = answers.get(candidate.device);
      if (answer === undefined) {
        answer = this.#isSelected(wanted, candidate, claim) && isInReach(candidate, node);
        answers.set(candidate.device, answer);
      }
      return answer;
    };
  }

  #isSelected(wanted: Wanted, { device, slice }: Candidate, claim: Claim): boolean {
    const { metadata, spec } = wanted.class;
    const lists = [
      { whose: `class ${metadata.name}`, selectors: spec.selectors ?? [] },
      { whose: `claim ${nameOf(claim)}`, selectors: wanted.selectors ?? [] },
    ];
    return lists.every(({ whose, selectors }) =>
      selectors.every(({ cel }, at) => {
        try {
          return this.#parts.selection.matches(cel?.expression ?? '', device, slice);
        } catch (error) {
          if (!(error instanceof SelectorError)) throw error;
          throw new Error(`${whose}: selector #${at}: ${error.message}`, { cause: error });
        }
      }),
    );
  }
}

function candidatesOf(pool: Pool, known: WeakMap<Pool, readonly Candidate[]>): readonly Candidate[] {
  const found = known.get(pool) ?? candidatesIn(pool);
  known.set(pool, found);
  return found;
}

function isInReach({ device, slice }: Candidate, node: Observed<Node>): boolean {
  return slice.spec.perDeviceNodeSelection !== true || reaches(device, node);
}
