import { isTolerated } from '../../api/meaning/index.ts';
import type { Clock } from '../../base/index.ts';
import type { AllocatedDevices } from './allocated-devices.ts';
import { addAmounts, type Amounts, takenOf } from './capacity.ts';
import { type Claim, MAX_DEVICES, type Wanted } from './claim.ts';
import { type Constraint, constraintOf } from './constraints.ts';
import { CounterUse } from './counters.ts';
import type { Candidate } from './device.ts';
import { countOf, type WantedClaim } from './wanted.ts';

/** The search ended because there were too many combinations. */
export class SearchTimeout extends Error {
  override readonly name = 'SearchTimeout';
}

export interface SearchLimits {
  /** Time limit of a search; 0 for none, with `maxSteps` still in force. */
  readonly timeoutMs: number;
  /** Maximum number of devices tried, so that a search also ends under a clock that stands still. */
  readonly maxSteps: number;
}

export interface SearchParts {
  /** The available devices, in the order in which they are tried. */
  readonly candidates: readonly Candidate[];
  readonly allocated: AllocatedDevices;
  isSuitable(wanted: Wanted, candidate: Candidate, claim: Claim): boolean;
  readonly limits: SearchLimits & { readonly clock: Clock };
}

/** A chosen device and the request it is for. */
export interface Chosen {
  readonly wanted: Wanted;
  readonly candidate: Candidate;
  /** The consumed capacity of a shareable device; undefined when the whole device is allocated. */
  readonly taken: Amounts | undefined;
}

/** The state of the search. Devices of a request are tried in order, so that no combination is tried twice. */
interface Place {
  readonly claim: number;
  readonly request: number;
  /** Index of the alternative for the request; undefined until one was picked. */
  readonly way?: number;
  /** How many of the request's devices were found. */
  readonly found: number;
  /** The first candidate to try for the next device. */
  readonly from: number;
}

/** `tooMany`: together with the devices chosen before, the claim would exceed its maximum. */
type Outcome = 'found' | 'none' | 'tooMany';

const STEPS_PER_CLOCK_CHECK = 256;

/** Tries all combinations of devices in order, until one meets all requests of all claims. */
export class DeviceSearch {
  readonly #claims: readonly WantedClaim[];
  readonly #parts: SearchParts;
  readonly #constraints: readonly (readonly Constraint[])[];
  readonly #counters: CounterUse;
  readonly #chosen: Chosen[][];
  /** By device: the claims it was chosen for. */
  readonly #users = new Map<string, number[]>();
  /** By device: the capacity consumed by each share. */
  readonly #shares = new Map<string, Amounts[]>();
  readonly #endMs: number;
  #steps = 0;

  constructor(claims: readonly WantedClaim[], parts: SearchParts) {
    this.#claims = claims;
    this.#parts = parts;
    this.#constraints = claims.map(({ claim }) => (claim.spec.devices?.constraints ?? []).map(constraintOf));
    this.#counters = new CounterUse((id) => parts.allocated.isAllocated(id));
    this.#chosen = claims.map(() => []);
    const { clock, timeoutMs } = parts.limits;
    this.#endMs = timeoutMs > 0 ? clock.monotonic() + timeoutMs : Infinity;
  }

  /** The chosen devices of each claim; undefined when there is no solution. */
  run(): readonly (readonly Chosen[])[] | undefined {
    return this.#request(0, 0) === 'found' ? this.#chosen : undefined;
  }

  /** Continues with a request, trying its alternatives in order. */
  #request(claim: number, request: number): Outcome {
    const wanted = this.#claims[claim];
    if (wanted === undefined) return 'found';
    const ways = wanted.requests[request];
    if (ways === undefined) {
      const outcome = this.#request(claim + 1, 0);
      return outcome === 'tooMany' ? 'none' : outcome; // fewer devices for this claim would not help the next one
    }
    let worst: Outcome = 'tooMany';
    for (const way of ways.keys()) {
      const outcome = this.#nextDevice({ claim, request, way, found: 0, from: 0 });
      if (outcome === 'found') return outcome;
      if (outcome === 'none') worst = 'none';
    }
    return worst;
  }

  #nextDevice(place: Place): Outcome {
    this.#countStep();
    const wanted = this.#claims[place.claim]?.requests[place.request]?.[place.way ?? 0] as Wanted;
    if (wanted.all?.length === 0) return 'none';
    const missing = countOf(wanted) - place.found;
    if (missing <= 0) return this.#request(place.claim, place.request + 1);
    if ((this.#chosen[place.claim]?.length ?? 0) + missing > MAX_DEVICES) return 'tooMany';
    return wanted.all === undefined ? this.#anyOf(wanted, place) : this.#everyOf(wanted, wanted.all, place);
  }

  /** Every matching device is requested, so there is one combination. */
  #everyOf(wanted: Wanted, all: readonly Candidate[], place: Place): Outcome {
    const candidate = all[place.found] as Candidate;
    const undo = this.#choose(wanted, candidate, place.claim);
    if (undo === undefined) return 'none';
    const outcome = this.#nextDevice({ ...place, found: place.found + 1 });
    if (outcome !== 'found') undo();
    return outcome;
  }

  #anyOf(wanted: Wanted, place: Place): Outcome {
    const { candidates, isSuitable } = this.#parts;
    const { claim } = this.#claims[place.claim] as WantedClaim;
    for (let at = place.from; at < candidates.length; at++) {
      this.#countStep();
      const candidate = candidates[at] as Candidate;
      if (this.#isInUse(wanted, candidate, place.claim) || !isSuitable(wanted, candidate, claim)) continue;
      const undo = this.#choose(wanted, candidate, place.claim);
      if (undo === undefined) continue;
      const outcome = this.#nextDevice({ ...place, found: place.found + 1, from: at + 1 });
      if (outcome === 'found') return outcome;
      undo();
      if (outcome === 'tooMany') return outcome;
    }
    return 'none';
  }

  #isInUse({ hasAdminAccess }: Wanted, { id }: Candidate, claim: number): boolean {
    const users = this.#users.get(id) ?? [];
    return hasAdminAccess ? users.includes(claim) : users.length > 0 || this.#parts.allocated.isWhole(id);
  }

  /** Chooses the device for the request, if possible; the returned function undoes that. */
  #choose(wanted: Wanted, candidate: Candidate, claim: number): (() => void) | undefined {
    const { id, device } = candidate;
    const isShared = device.allowMultipleAllocations === true;
    if (this.#isInUse(wanted, candidate, claim)) return undefined;
    if (isKeptOff(device, wanted)) return undefined;
    const undone: (() => void)[] = [];
    const undo = (): void => undone.toReversed().forEach((each) => each());
    // a device that is already shared consumes no further counters
    const draws = (device.consumesCounters ?? []).length > 0 && !(isShared && this.#hasShares(id));
    if (draws) {
      if (!this.#counters.draw(candidate)) return undefined;
      undone.push(() => this.#counters.giveBack(candidate));
    }
    for (const constraint of this.#constraints[claim] ?? []) {
      if (!constraint.add(wanted, candidate)) {
        undo();
        if (wanted.all !== undefined) throw this.#unsatisfied(wanted, candidate, claim);
        return undefined;
      }
      undone.push(() => constraint.remove(wanted));
    }
    const others = (this.#shares.get(id) ?? []).reduce(addAmounts, this.#parts.allocated.taken(id));
    const taken = takenOf(device, wanted.capacity, others);
    if (taken === undefined) {
      undo();
      return undefined;
    }
    undone.push(isShared ? push(this.#shares, id, taken) : push(this.#users, id, claim));
    const chosen = this.#chosen[claim] as Chosen[];
    chosen.push({ wanted, candidate, taken: isShared ? taken : undefined });
    undone.push(() => void chosen.pop());
    return undo;
  }

  #hasShares(id: string): boolean {
    return this.#parts.allocated.isTaken(id) || (this.#shares.get(id)?.length ?? 0) > 0;
  }

  #unsatisfied({ alternative, request }: Wanted, { id }: Candidate, claim: number): Error {
    const { namespace, name } = (this.#claims[claim] as WantedClaim).claim.metadata;
    const because = 'because a claim constraint would not be satisfied';
    return new Error(
      `claim ${namespace}/${name}, request ${alternative ?? request}: cannot add device ${id} ${because}`,
    );
  }

  #countStep(): void {
    const { clock, maxSteps } = this.#parts.limits;
    this.#steps += 1;
    if (this.#steps > maxSteps) throw new SearchTimeout('too many combinations of devices');
    if (this.#steps % STEPS_PER_CLOCK_CHECK === 0 && clock.monotonic() > this.#endMs)
      throw new SearchTimeout('no time left');
  }
}

/** Appends to a list in a map; the returned function removes the item. */
function push<T>(lists: Map<string, T[]>, key: string, item: T): () => void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  list.push(item);
  return () => void list.pop();
}

function isKeptOff({ taints = [] }: Candidate['device'], { tolerations }: Wanted): boolean {
  return taints.some(
    (taint) => (taint.effect === 'NoExecute' || taint.effect === 'NoSchedule') && !isTolerated(taint, tolerations),
  );
}
