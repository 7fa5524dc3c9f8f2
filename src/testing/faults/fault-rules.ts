import { parseDuration, type Random } from '../../base/index.ts';
import type { ResourceRequest } from '../resource-request.ts';
import type { ActiveFault, CallFault, Fault, FaultChance, FaultTarget, RequestFault } from './fault.ts';
import { isAbout, type Sender } from './fault-target.ts';
import type { PastView } from './past-view.ts';

/** Maximum number of faults in one cluster: more probably come from a loop that never removes them. */
const MAX_FAULTS = 1000;

/** An active fault of requests. */
export interface RequestRule extends ActiveFault {
  readonly fault: RequestFault & FaultTarget & FaultChance;
  /** The snapshot that answers stale reads. */
  readonly past: PastView | undefined;
}

/** An open watch, which faults may end. */
export interface OpenWatch {
  readonly sender: Sender;
  readonly request: ResourceRequest;
  strike(rule: RequestRule): void;
}

/** The faults of a cluster, oldest first; the first that matches is injected. */
export class FaultRules {
  readonly #random: Random;
  readonly #openPast: () => PastView;
  readonly #rules = new Set<Rule>();
  readonly #watches = new Set<OpenWatch>();
  /** Called with each fault that is injected into a request or an open watch. */
  onStrike: ((fault: RequestFault, sender: Sender, request: ResourceRequest) => void) | undefined;

  /** `openPast` makes a read-only snapshot of the cluster. */
  constructor(random: Random, openPast: () => PastView) {
    this.#random = random;
    this.#openPast = openPast;
  }

  get list(): readonly ActiveFault[] {
    return [...this.#rules];
  }

  /** Whether no fault is active. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** Adds a fault, which injects nothing before `from` resolves: what was due earlier must not meet it. */
  add(fault: Fault, from?: Promise<void>): ActiveFault {
    checkFault(fault);
    if (this.#rules.size >= MAX_FAULTS)
      throw new Error(`Cannot add a fault: there are ${MAX_FAULTS} active faults already`);
    const past = fault.type === 'staleRead' ? this.#openPast() : undefined;
    const rule = new Rule(fault, past, (ended) => void this.#rules.delete(ended));
    this.#rules.add(rule);
    const begin = (): void => {
      rule.begin();
      if (isRequestRule(rule)) this.#strikeWatches(rule);
    };
    if (from === undefined) begin();
    else void from.then(begin, begin);
    return rule;
  }

  /** Copies the faults, with their remaining counts, to a fork. Stale reads use the fork's own snapshot. */
  copyTo(other: FaultRules): void {
    for (const rule of this.#rules) other.add(rule.rest);
  }

  /** The fault to inject into a request, if any, which counts as a hit; `types` restricts the types. */
  strike(sender: Sender, request: ResourceRequest, types?: readonly RequestFault['type'][]): RequestRule | undefined {
    for (const rule of this.#rules) {
      if (!isRequestRule(rule) || types?.includes(rule.fault.type) === false) continue;
      if (!concerns(rule, sender, request) || !rule.strikes(this.#random)) continue;
      this.onStrike?.(rule.fault, sender, request);
      return rule;
    }
    return undefined;
  }

  /** The fault to inject into a call that the server makes. */
  strikeCall(path: string, types: readonly CallFault['type'][]): CallFault | undefined {
    for (const { fault, ...rule } of this.#callRules()) {
      if (types.includes(fault.type) && path.includes(fault.path ?? '') && rule.strikes()) return fault;
    }
    return undefined;
  }

  /** Registers a watch, which later faults may end, until the result is disposed. */
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
      const { sender, request } = watch;
      if (!concerns(rule, sender, request) || !rule.strikes(this.#random)) continue;
      this.onStrike?.(rule.fault, sender, request);
      watch.strike(rule);
    }
  }
}

class Rule implements ActiveFault {
  readonly fault: Fault;
  readonly past: PastView | undefined;
  readonly #onEnd: (rule: Rule) => void;
  #hits = 0;
  #passed = 0;
  #hasBegun = false;
  #isRemoved = false;

  constructor(fault: Fault, past: PastView | undefined, onEnd: (rule: Rule) => void) {
    this.fault = fault;
    this.past = past;
    this.#onEnd = onEnd;
  }

  get hits(): number {
    return this.#hits;
  }

  /** The fault with its remaining counts. */
  get rest(): Fault {
    const { times, after = 0 } = this.fault;
    const left = times === undefined ? {} : { times: times - this.#hits };
    return { ...this.fault, ...left, after: Math.max(0, after - this.#passed) };
  }

  begin(): void {
    this.#hasBegun = true;
  }

  strikes(random: Random): boolean {
    const { times = Infinity, probability = 1, after = 0 } = this.fault;
    if (!this.#hasBegun || this.#isRemoved || this.#hits >= times) return false;
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

/** Whether a type of fault makes sense for a request. */
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
