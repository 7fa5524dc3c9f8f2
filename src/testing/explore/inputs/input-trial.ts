import { deepEqual } from '../../../base/index.ts';
import type { KubernetesObject } from '../../../client/index.ts';
import type { ClusterState } from '../cluster-state.ts';
import { type Difference, differencesOf, differenceWords, type Volatility } from '../compare-states.ts';
import type { Journal, JournalRequest } from '../journal.ts';
import { againOf, type OtherUsers, parseObjectName } from '../other-users.ts';
import { type Problem, problemOf } from '../problem.ts';
import { changeWords, type InputChange, type InputFault } from './input-fault.ts';
import { generalPath, isWithin } from './input-options.ts';
import { withField } from './input-plans.ts';

/** What a trial needs of the run that it is part of. */
export interface TrialSurroundings {
  readonly users: OtherUsers;
  readonly journal: Journal;
  /** What is not compared. */
  readonly volatility: Volatility;
  /** Times after which the state is looked at. */
  readonly patienceMs: readonly number[];
  state(): ClusterState;
  outside(): unknown;
  /** Resolves when nothing is left to do. */
  recover(): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Why the operator's last attempt failed; undefined where it did not. */
  failure(): string | undefined;
}

/** How the operator took what users did to an object. */
export interface TrialResult {
  /** False if the server refused a change. */
  readonly isTaken: boolean;
  readonly problems: readonly Problem[];
  /** Whether the last change led to anything but itself. */
  readonly hasEffect: boolean;
}

interface Snapshot {
  readonly state: ClusterState;
  readonly outside: unknown;
  /** How many requests and calls there were. */
  readonly requests: number;
  readonly calls: number;
}

/** An operator that takes longer until it does anything about a change does nothing about it. */
const MAX_EFFECT_MS = 30_000;
const REFUSED: TrialResult = { isTaken: false, problems: [], hasEffect: false };

/** Changes an object as users do, and looks at what the operator makes of it. */
export class InputTrial {
  readonly #fault: InputFault;
  readonly #around: TrialSurroundings;

  constructor(fault: InputFault, around: TrialSurroundings) {
    this.#fault = fault;
    this.#around = around;
  }

  async run(): Promise<TrialResult> {
    const { users } = this.#around;
    const { object, changes, end } = this.#fault;
    const original = await users.find(object);
    if (original === undefined) return REFUSED;
    let hasEffect = false;
    for (const change of changes) {
      const before = this.#snapshot();
      if (!(await users.replace(object, (found) => withField(found, change)))) return REFUSED;
      await this.#around.recover();
      hasEffect = await this.#hasEffect(before, change);
      const failure = hasEffect ? undefined : this.#silentFailure(before);
      if (failure !== undefined) return { isTaken: true, hasEffect: true, problems: [this.#failed(failure, change)] };
    }
    if (end === 'new') return { isTaken: true, hasEffect, problems: await this.#asNew(original) };
    await users.replace(object, (found) => restored(found, original));
    await this.#around.recover();
    return { isTaken: true, hasEffect, problems: [] };
  }

  #snapshot(): Snapshot {
    const { journal } = this.#around;
    const { requests, calls } = journal;
    return {
      state: this.#around.state(),
      outside: this.#around.outside(),
      requests: requests.length,
      calls: calls.length,
    };
  }

  async #hasEffect(before: Snapshot, change: InputChange): Promise<boolean> {
    let waitedMs = 0;
    for (const untilMs of this.#around.patienceMs.filter((ms) => ms <= MAX_EFFECT_MS)) {
      if (untilMs > waitedMs) await this.#around.pass(untilMs - waitedMs);
      waitedMs = untilMs;
      if (this.#isEffect(before, change)) return true;
    }
    return false;
  }

  #isEffect(before: Snapshot, { field }: InputChange): boolean {
    const { outside, calls } = before;
    if (!deepEqual(outside, this.#around.outside())) return true;
    if (this.#around.journal.calls.slice(calls).some(({ nth }) => nth === 1)) return true; // it asks for something new
    const differences = differencesOf(before.state, this.#around.state(), this.#around.volatility);
    return differences.some((each) => !this.#isChange(each, generalPath(field)));
  }

  /** Whether a difference is the change itself, or only says that a newer object was seen. */
  #isChange(difference: Difference, field: string): boolean {
    if (difference.type !== 'changed' || difference.id !== this.#id) return false;
    const { path } = difference;
    return path.endsWith('observedGeneration') || isWithin(path, field) || isWithin(field, path);
  }

  get #id(): string {
    const { kind, namespace, name } = parseObjectName(this.#fault.object);
    return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  }

  /** Why the operator cannot do what users want, where it does not say so by the status or an event. */
  #silentFailure({ requests }: Snapshot): string | undefined {
    const since = this.#around.journal.requests.slice(requests);
    if (since.some(({ resource, verb }) => resource === 'events' && verb !== 'list')) return undefined;
    const failure = this.#around.failure();
    return failure ?? refusalIn(since);
  }

  #failed(failure: string, change: InputChange): Problem {
    const { object, step } = this.#fault;
    const { kind } = parseObjectName(object);
    const message = `after step "${step}", when ${changeWords(change)}, which the schema of ${kind} allows, ${failure}; neither the status nor an event says so`;
    return { oracle: 'fails', message, subject: `${kind} ${generalPath(change.field)}` };
  }

  /** Replaces the object by a new one with the same fields, which must lead to the same state. */
  async #asNew(original: KubernetesObject): Promise<readonly Problem[]> {
    const { users, patienceMs, volatility } = this.#around;
    const { object, step, changes } = this.#fault;
    const changed = await users.find(object);
    const expected = this.#around.state();
    if (changed === undefined) return [];
    await users.delete(object);
    await this.#around.recover();
    for (let wait = 0; (await users.find(object)) !== undefined; wait++) {
      if (wait === patienceMs.length) return []; // deletions that do not end are what other plans look for
      await this.#around.pass(patienceMs[wait] ?? 0);
    }
    const { annotations, labels } = original.metadata ?? {};
    const again = { ...changed, metadata: { ...changed.metadata, annotations, labels } };
    if (!(await users.create(object, againOf(again as KubernetesObject)))) return [];
    await this.#around.recover();
    let differences: readonly Difference[] = [];
    let waitedMs = 0;
    for (const untilMs of patienceMs) {
      if (untilMs > waitedMs) await this.#around.pass(untilMs - waitedMs);
      waitedMs = untilMs;
      differences = differencesOf(this.#around.state(), expected, volatility);
      if (differences.length === 0) break;
    }
    const last = changes.at(-1);
    return differences.map((each) => ({
      ...problemOf(each, step),
      message: `after step "${step}", when ${last === undefined ? '' : changeWords(last)}, the end is not that of a new object with the same fields: ${differenceWords(each, 'with a new one')}`,
    }));
  }
}

/** A write that the server refused as invalid, and that did not succeed later. */
function refusalIn(requests: readonly JournalRequest[]): string | undefined {
  const last = new Map(requests.map((each) => [each.request, each]));
  const refused = [...last.values()].find(({ code }) => code === 422 || code === 400);
  return refused === undefined ? undefined : `the server refuses "${refused.request}" as invalid`;
}

/** An object with the fields of an earlier state of it. */
function restored(found: KubernetesObject, original: KubernetesObject): KubernetesObject {
  const { metadata, status } = found as KubernetesObject & { readonly status?: unknown };
  return { ...original, metadata, ...(status === undefined ? {} : { status }) } as KubernetesObject;
}
