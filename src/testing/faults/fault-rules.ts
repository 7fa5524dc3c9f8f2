import { parseDuration, type Random } from '../../base/index.ts';
import type { ResourceRequest } from '../resource-request.ts';
import type { ActiveFault, CallFault, Fault, FaultChance, FaultTarget, RequestFault } from './fault.ts';
import { isAbout, type Sender } from './fault-target.ts';
import type { PastView } from './past-view.ts';

/** Of one cluster; more would be a mistake of a loop that never removes what it adds. */
const MAX_FAULTS = 1000;

/** A fault of requests that is at work. */
export interface RequestRule extends ActiveFault {
  readonly fault: RequestFault & FaultTarget & FaultChance;
  /** What stale reads are answered from. */
  readonly past: PastView | undefined;
}

/** A watch that is open, which faults may end. */
export interface OpenWatch {
  readonly sender: Sender;
  readonly request: ResourceRequest;
  strike(rule: RequestRule): void;
}

/** The faults of a cluster, in the order in which they were made; the first that strikes decides. */
export class FaultRules {
  readonly #random: Random;
  readonly #openPast: () => PastView;
  readonly #rules = new Set<Rule>();
  readonly #watches = new Set<OpenWatch>();

  /** `openPast` makes a view of the cluster as it is now. */
  constructor(random: Random, openPast: () => PastView) {
    this.#random = random;
    this.#openPast = openPast;
  }

  get list(): readonly ActiveFault[] {
    return [...this.#rules];
  }

  /** Whether something goes wrong at present. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  add(fault: Fault): ActiveFault {
    checkFault(fault);
    if (this.#rules.size >= MAX_FAULTS)
      throw new Error(`Cannot add a fault: there are ${MAX_FAULTS} already, which nobody has removed`);
    const past = fault.type === 'staleRead' ? this.#openPast() : undefined;
    const rule = new Rule(fault, past, (ended) => void this.#rules.delete(ended));
    this.#rules.add(rule);
    if (isRequestRule(rule)) this.#strikeWatches(rule);
    return rule;
  }

  /** The same faults for a fork, as far as they have got. Stale reads are of the fork's own past. */
  copyTo(other: FaultRules): void {
    for (const rule of this.#rules) other.add(rule.rest);
  }

  /** The fault that strikes a request, which counts as a hit; `types` says which ones are asked for. */
  strike(sender: Sender, request: ResourceRequest, types?: readonly RequestFault['type'][]): RequestRule | undefined {
    for (const rule of this.#rules) {
      if (!isRequestRule(rule) || types?.includes(rule.fault.type) === false) continue;
      if (concerns(rule, sender, request) && rule.strikes(this.#random)) return rule;
    }
    return undefined;
  }

  /** The fault that strikes a call of the server's. */
  strikeCall(path: string, types: readonly CallFault['type'][]): CallFault | undefined {
    for (const { fault, ...rule } of this.#callRules()) {
      if (types.includes(fault.type) && path.includes(fault.path ?? '') && rule.strikes()) return fault;
    }
    return undefined;
  }

  /** Lets faults that are made from now on end the watch, until the result is disposed of. */
  opened(watch: OpenWatch): Disposable {
    this.#watches.add(watch);
    return { [Symbol.dispose]: () => void this.#watches.delete(watch) };
  }

  *#callRules(): Generator<{ readonly fault: CallFault; readonly strikes: () => boolean }> {
    for (const rule of this.#rules) {
      const { fault } = rule;
      if (isCallFault(fault)) yield { fault, strikes: () => rule.strikes(this.#random) };
    }
  }

  #strikeWatches(rule: Rule & RequestRule): void {
    if (!['dropped', 'expired', 'silent'].includes(rule.fault.type)) return;
    for (const watch of [...this.#watches]) {
      if (concerns(rule, watch.sender, watch.request) && rule.strikes(this.#random)) watch.strike(rule);
    }
  }
}

class Rule implements ActiveFault {
  readonly fault: Fault;
  readonly past: PastView | undefined;
  readonly #onEnd: (rule: Rule) => void;
  #hits = 0;
  #passed = 0;
  #isRemoved = false;

  constructor(fault: Fault, past: PastView | undefined, onEnd: (rule: Rule) => void) {
    this.fault = fault;
    this.past = past;
    this.#onEnd = onEnd;
  }

  get hits(): number {
    return this.#hits;
  }

  /** The fault without what has happened already. */
  get rest(): Fault {
    const { times, after = 0 } = this.fault;
    const left = times === undefined ? {} : { times: times - this.#hits };
    return { ...this.fault, ...left, after: Math.max(0, after - this.#passed) };
  }

  strikes(random: Random): boolean {
    const { times = Infinity, probability = 1, after = 0 } = this.fault;
    if (this.#isRemoved || this.#hits >= times) return false;
    this.#passed += 1;
    if (this.#passed <= after || (probability < 1 && random.float() >= probability)) return false;
    this.#hits += 1;
    if (this.#hits >= times) this.#onEnd(this);
    return true;
  }

  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#onEnd(this);
    this.past?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.remove();
  }
}

function concerns(rule: RequestRule, sender: Sender, request: ResourceRequest): boolean {
  const { fault } = rule;
  return isAbout(fault, sender, request) && isPossible(fault.type, request);
}

/** Some faults concern some requests only, whatever they are about. */
function isPossible(type: RequestFault['type'], { verb, resource, query }: ResourceRequest): boolean {
  if (type === 'staleRead') return verb === 'get' || verb === 'list';
  if (type === 'lostLease') return resource === 'leases' && (verb === 'update' || verb === 'patch');
  if (type === 'conflict') return verb === 'update' || verb === 'patch' || verb === 'delete';
  if (type === 'expired') return verb === 'watch' || query.has('continue') || query.has('resourceVersion');
  return true;
}

function isCallFault(fault: Fault): fault is CallFault & FaultChance {
  return fault.type === 'webhookDown' || fault.type === 'webhookSilent' || fault.type === 'apiDown';
}

function isRequestRule(rule: Rule): rule is Rule & RequestRule {
  return !isCallFault(rule.fault);
}

function checkFault(fault: Fault): void {
  const { times = 1, probability = 1, after = 0 } = fault;
  if (!Number.isSafeInteger(times) || times < 1) throw refuse(fault, `times must be a whole number >= 1, got ${times}`);
  if (!(probability >= 0 && probability <= 1))
    throw refuse(fault, `probability must be from 0 to 1, got ${probability}`);
  if (!Number.isSafeInteger(after) || after < 0) throw refuse(fault, `after must be a whole number >= 0, got ${after}`);
  if ('delay' in fault && typeof fault.delay === 'string') parseDuration(fault.delay);
}

function refuse({ type }: Fault, problem: string): RangeError {
  return new RangeError(`Cannot add fault "${type}": ${problem}`);
}
