import { type InputFault, inputWords } from './inputs/input-fault.ts';

/** A request of the operator, or a call that it makes outside: the `nth` with these words. */
export interface Moment {
  /** Such as `create configmaps default/web`, or `call createBucket("web")`. */
  readonly request: string;
  readonly nth: number;
}

/** An object, such as `v1 ConfigMap default/web`. */
export type ObjectName = string;

/** How a request fails. */
export type RequestError = 'conflict' | 'internalError' | 'tooManyRequests' | 'timeout' | 'dropped';

/** A fault at a chosen moment. */
export type PlannedFault =
  /** The process is killed before the request is sent, or after the server has carried it out and before the answer. */
  | { readonly type: 'crash'; readonly at: Moment; readonly when: 'before' | 'after' }
  /** The request fails; with `effect`, the server has carried it out. */
  | { readonly type: 'error'; readonly at: Moment; readonly error: RequestError; readonly effect: boolean }
  /** The process does not run during the step. */
  | { readonly type: 'down'; readonly step: string }
  /** The process is restarted after the step, when nothing is left to do. */
  | { readonly type: 'restart'; readonly step: string }
  /**
   * The process is restarted after the step, and its lists show the state before that step until it has nothing left to
   * do; then it catches up.
   */
  | { readonly type: 'past'; readonly step: string }
  /**
   * Watches of a resource deliver nothing from the step on, after `after` more events, until all is settled after the
   * step `until`. With `relist`, the watch then expires: the states in between are never seen.
   */
  | {
      readonly type: 'lag';
      readonly resource: string;
      readonly step: string;
      readonly after: number;
      readonly until: string;
      readonly relist: boolean;
    }
  /** The next step begins right before the request is sent. */
  | { readonly type: 'early'; readonly at: Moment }
  /** Another replica takes the lead while the request is on its way. */
  | { readonly type: 'takeover'; readonly at: Moment }
  /** Another user deletes an object after the step, or deletes it and creates it again before the operator looks. */
  | { readonly type: 'deleted' | 'replaced'; readonly object: ObjectName; readonly step: string }
  /** Another user changes an object after the step, by a merge patch. */
  | { readonly type: 'changed'; readonly object: ObjectName; readonly step: string; readonly patch: object }
  /** An object of this name exists already before the first step, and belongs to another owner. */
  | { readonly type: 'foreign'; readonly object: ObjectName; readonly resource: string; readonly body: object }
  /** The version before works until the end of the step, and is then replaced. */
  | { readonly type: 'upgrade'; readonly step: string }
  /** Time passes after the step. */
  | { readonly type: 'wait'; readonly step: string; readonly ms: number }
  | InputFault;

/** What goes wrong in one run, as plain data. */
export interface Plan {
  readonly seed: string;
  /** The names of the steps that are left; default all. */
  readonly steps?: readonly string[];
  readonly faults: readonly PlannedFault[];
}

/** The faults of one type. */
export function faultsOf<T extends PlannedFault['type']>(
  { faults }: Pick<Plan, 'faults'>,
  type: T,
): readonly Extract<PlannedFault, { readonly type: T }>[] {
  return faults.filter((fault): fault is Extract<PlannedFault, { readonly type: T }> => fault.type === type);
}

/** The plan in one line, which `explore` repeats. */
export function planText(plan: Plan): string {
  return JSON.stringify(plan);
}

/** Reads what `planText` has written. */
export function parsePlan(text: string): Plan {
  const plan = read(text) as Partial<Plan> | null;
  if (typeof plan?.seed !== 'string' || !Array.isArray(plan.faults))
    throw new Error(`Cannot read plan ${JSON.stringify(text)}: it is not a plan as a report shows it`);
  return plan as Plan;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Cannot read plan ${JSON.stringify(text)}: it is not JSON`, { cause });
  }
}

/** A fault in words. */
export function faultWords(fault: PlannedFault): string {
  switch (fault.type) {
    case 'crash':
      return fault.when === 'before'
        ? `the process is killed before ${momentWords(fault.at)}`
        : `the process is killed after ${momentWords(fault.at)} took effect, before the answer`;
    case 'error':
      return `${momentWords(fault.at)} fails (${fault.error})${fault.effect ? ', but took effect' : ''}`;
    case 'down':
      return `the process is down during step "${fault.step}"`;
    case 'restart':
      return `the process is restarted after step "${fault.step}"`;
    case 'past':
      return `the process is restarted after step "${fault.step}" and first sees the state before that step`;
    case 'lag': {
      const from = fault.after === 0 ? '' : ` after ${fault.after} more ${fault.after === 1 ? 'event' : 'events'}`;
      const end = fault.relist ? 'and then only the last state is seen' : 'and then arrive';
      return `from step "${fault.step}"${from} until the end of "${fault.until}", changes of ${fault.resource} are not seen, ${end}`;
    }
    case 'early':
      return `the next step begins right before ${momentWords(fault.at)}`;
    case 'takeover':
      return `another replica takes the lead during ${momentWords(fault.at)}`;
    case 'deleted':
      return `another user deletes ${fault.object} after step "${fault.step}"`;
    case 'changed':
      return `another user changes ${fault.object} after step "${fault.step}"`;
    case 'replaced':
      return `another user deletes ${fault.object} and creates it again, before the operator looks, after step "${fault.step}"`;
    case 'foreign':
      return `${fault.object} exists already and belongs to another owner`;
    case 'upgrade':
      return `the version before works until the end of step "${fault.step}", and is then replaced`;
    case 'wait':
      return `${fault.ms / 1000} s pass after step "${fault.step}"`;
    case 'input':
      return inputWords(fault);
  }
}

function momentWords({ request, nth }: Moment): string {
  return nth === 1 ? `"${request}"` : `"${request}" (the ${nth}. time)`;
}
