import { type JournalCall, type JournalRequest, isElection, isWork, isWriteVerb } from './journal.ts';
import type { Learned } from './learn.ts';
import type { Moment, Plan, PlannedFault } from './plan.ts';
import { operatorObjects, type OperatorObject, userObjects } from './recorded-objects.ts';

/** Groups of faults, of which plans are made in turn, so that a small budget meets each. */
export type FaultGroup =
  /** The process is killed before and after each write, and each call outside. */
  | 'crash'
  /** The process is down during a step, or restarted after it. */
  | 'restart'
  /** Watches lag behind, and states in between are missed. */
  | 'stale'
  /** Requests and calls fail, with and without effect. */
  | 'error'
  /** Users act while the operator works, delete and change its objects, and replace their own. */
  | 'users'
  /** Objects that the operator would make exist already, and belong to another owner. */
  | 'foreign'
  /** Two replicas lead for a moment. */
  | 'leader'
  /** The version before, if the scenario has one, is replaced while its objects exist. */
  | 'upgrade'
  /** A day passes. */
  | 'time'
  /** Users change the fields of their objects, if the scenario has `inputs`. */
  | 'inputs'
  /**
   * After a restart, lists show an older state than the operator has seen. Tried where lists of its caches take any version, as those of
   * client-go do, and those of this package do not; or when it is asked for.
   */
  | 'past';

const DEFAULT_GROUPS: readonly FaultGroup[] = [
  'crash',
  'restart',
  'stale',
  'error',
  'users',
  'foreign',
  'leader',
  'upgrade',
  'time',
  'inputs',
];

/** The same words more often than this are the same moment as before. */
const MAX_NTH = 3;
/** Events of one resource in one step, after which watches are held. */
const MAX_EVENTS = 6;
/** A day; an hour where a lease would be renewed every two seconds meanwhile. */
const LONG_MS = 86_400_000;
const LONG_ELECTED_MS = 3_600_000;
/** Kinds that users delete for good: their loss is not repaired. */
const NOT_REPAIRED = new Set([
  'PersistentVolumeClaim',
  'PersistentVolume',
  'Job',
  'Namespace',
  'CustomResourceDefinition',
  'Secret',
]);

export interface PlanOptions {
  readonly seed: string;
  readonly steps: readonly string[];
  readonly groups?: readonly FaultGroup[];
  /** Whether there is a version before. */
  readonly hasFormer: boolean;
  /** What users do with the fields of their objects. */
  readonly inputs: readonly PlannedFault[];
}

/** The plans with one fault each, group by group in turn. */
export function singlePlans(learned: Learned, options: PlanOptions): readonly Plan[] {
  const made = faultGroups(learned, options);
  const wanted = options.groups ?? [...DEFAULT_GROUPS, ...(mayGoBack(learned) ? (['past'] as const) : [])];
  const lists = wanted.map((group) => [
    ...made[group].map((fault): Draft => ({ faults: [fault] })),
    ...(group === 'users' ? hurried(learned, options.steps) : []),
  ]);
  const seen = new Set<string>();
  return interleaved(lists).flatMap((draft) => {
    const text = JSON.stringify(draft);
    if (seen.has(text)) return [];
    seen.add(text);
    return [{ seed: options.seed, ...draft }];
  });
}

/** The first of each list, then the second of each, and so on. */
function interleaved<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

/** Moments of each step in turn: most are in the first one, and a small budget must meet all. */
function inTurn<T extends { readonly step: number }>(moments: readonly T[]): readonly T[] {
  const steps = [...new Set(moments.map(({ step }) => step))].sort((left, right) => left - right);
  return interleaved(steps.map((step) => moments.filter((each) => each.step === step)));
}

/** A plan without its seed. */
type Draft = Omit<Plan, 'seed'>;

function faultGroups(learned: Learned, options: PlanOptions): Readonly<Record<FaultGroup, readonly PlannedFault[]>> {
  const { journal } = learned.run;
  const { steps } = options;
  const requests = inTurn(journal.requests.filter((each) => isMoment(each)));
  const writes = requests.filter(({ verb }) => isWriteVerb(verb));
  const moments: readonly (JournalRequest | JournalCall)[] = [...writes, ...journal.calls.filter(isEarly)];
  const elects = journal.requests.some(isElection);
  return {
    crash: moments.flatMap((each) => crashes(momentOf(each))),
    restart: steps.flatMap((step): PlannedFault[] => [
      { type: 'down', step },
      { type: 'restart', step },
    ]),
    stale: lags(learned, steps),
    error: [...requests, ...journal.calls.filter(isEarly)].flatMap(errors),
    users: [...early(requests, steps), ...changes(learned, steps)],
    foreign: foreign(learned),
    leader: elects ? moments.map((each): PlannedFault => ({ type: 'takeover', at: momentOf(each) })) : [],
    upgrade: options.hasFormer ? steps.slice(0, -1).map((step): PlannedFault => ({ type: 'upgrade', step })) : [],
    time: learned.isTimed
      ? []
      : steps.map((step): PlannedFault => ({ type: 'wait', step, ms: elects ? LONG_ELECTED_MS : LONG_MS })),
    inputs: options.inputs,
    past: steps.map((step): PlannedFault => ({ type: 'past', step })),
  };
}

/** Whether a cache that is filled again may show an older state than before: it asks for any version. */
function mayGoBack({ run }: Learned): boolean {
  return run.journal.requests.some(({ takesAnyVersion }) => takesAnyVersion);
}

function isMoment(request: JournalRequest): boolean {
  return isWork(request) && (request.isOfRun || isWriteVerb(request.verb)) && isEarly(request);
}

function isEarly({ nth }: Moment): boolean {
  return nth <= MAX_NTH;
}

function momentOf({ request, nth }: Moment): Moment {
  return { request, nth };
}

function crashes(at: Moment): readonly PlannedFault[] {
  return [
    { type: 'crash', at, when: 'after' },
    { type: 'crash', at, when: 'before' },
  ];
}

function errors(each: JournalRequest | JournalCall): readonly PlannedFault[] {
  const at = momentOf(each);
  const failed: PlannedFault = { type: 'error', at, error: 'internalError', effect: false };
  if (each.type === 'request' && !isWriteVerb(each.verb)) return [failed];
  const unanswered: PlannedFault = { type: 'error', at, error: 'timeout', effect: true };
  if (each.type === 'call') return [failed, unanswered];
  const conflict: PlannedFault = { type: 'error', at, error: 'conflict', effect: false };
  return [unanswered, failed, ...(isConditional(each) ? [conflict] : [])];
}

/** Whether a write names the version that it is based on, so that it may conflict. */
function isConditional({ sent, verb }: JournalRequest): boolean {
  const { metadata, preconditions } = (sent ?? {}) as {
    readonly metadata?: { readonly resourceVersion?: string };
    readonly preconditions?: { readonly resourceVersion?: string };
  };
  return verb === 'delete' ? preconditions?.resourceVersion !== undefined : metadata?.resourceVersion !== undefined;
}

/** Held watches: of each resource in each step, from its beginning and in the middle, and until the end of the next step. */
function lags({ run }: Learned, steps: readonly string[]): readonly PlannedFault[] {
  const seen = new Map<string, number>();
  const resources = new Set<string>();
  for (const entry of run.journal.entries) {
    if (entry.type !== 'event') continue;
    resources.add(entry.resource);
    const place = `${entry.step} ${entry.resource}`;
    seen.set(place, (seen.get(place) ?? 0) + 1);
  }
  const faults: PlannedFault[] = [];
  for (const resource of ['*', ...resources])
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1];
      const count = resource === '*' ? 1 : (seen.get(`${index} ${resource}`) ?? 0);
      if (count === 0) continue;
      const here = { type: 'lag', resource, step, until: step, relist: false } as const;
      for (let after = 0; after < Math.min(count, MAX_EVENTS); after++) faults.push({ ...here, after });
      faults.push({ ...here, after: 0, relist: true });
      if (next === undefined) continue;
      faults.push({ ...here, after: 0, until: next }, { ...here, after: 0, until: next, relist: true });
    }
  return faults;
}

/** The next step begins while the operator works on the one before, also between its reads and its writes. */
function early(requests: readonly JournalRequest[], steps: readonly string[]): readonly PlannedFault[] {
  const inTime = requests.filter(({ step }) => step >= 0 && step < steps.length - 1);
  return inTime.map((each) => ({ type: 'early', at: momentOf(each) }));
}

/** Users leave out all steps up to the last one, often a deletion, and take it while the operator works on an earlier one. */
function hurried({ run }: Learned, steps: readonly string[]): readonly Draft[] {
  const last = steps.at(-1) ?? '';
  const early = [
    ...run.journal.requests.filter((each) => isMoment(each) && isWriteVerb(each.verb)),
    ...run.journal.calls,
  ];
  const inTime = early.filter((each) => isEarly(each) && each.step >= 0 && each.step < steps.length - 2);
  return inTime.map((each) => ({
    steps: [...steps.slice(0, each.step + 1), last],
    faults: [{ type: 'early', at: momentOf(each) }],
  }));
}

/** What other users do to the operator's objects, and to those that it works for. */
function changes({ run }: Learned, steps: readonly string[]): readonly PlannedFault[] {
  const own = operatorObjects(run);
  const watched = new Set(run.journal.entries.flatMap((entry) => (entry.type === 'event' ? [entry.resource] : [])));
  return steps.flatMap((step): readonly PlannedFault[] => {
    const state = run.states.get(step);
    if (state === undefined) return [];
    const there = new Set(state.objects.map(({ id }) => id));
    const living = own.filter(({ name }) => there.has(name.slice(name.indexOf(' ') + 1)));
    const repaired = living.filter(
      ({ kind, isOwned, resource }) => isOwned && watched.has(resource) && !NOT_REPAIRED.has(kind),
    );
    const users = userObjects(state, own).filter((name) => isReconciled(name, run.journal.requests));
    return [
      ...repaired.map(({ name }): PlannedFault => ({ type: 'deleted', object: name, step })),
      ...repaired.flatMap((object): PlannedFault[] => {
        const patch = changeOf(object);
        return patch === undefined ? [] : [{ type: 'changed', object: object.name, step, patch }];
      }),
      ...users.map((object): PlannedFault => ({ type: 'replaced', object, step })),
    ];
  });
}

/** Whether the operator makes objects for this one, which a new one of the same name must get, too. */
function isReconciled(name: string, requests: readonly JournalRequest[]): boolean {
  const [, kind = ''] = name.split(' ', 2);
  return requests.some(
    ({ answer }) => answer?.metadata?.ownerReferences?.some((owner) => owner.kind === kind) ?? false,
  );
}

/** A small change of something that the operator has applied; undefined if there is nothing to change safely. */
function changeOf({ body, isApplied }: OperatorObject): object | undefined {
  if (!isApplied) return undefined;
  const { data, spec } = body as { readonly data?: object; readonly spec?: object };
  const [name, value] = Object.entries(data ?? {}).find(([, each]) => typeof each === 'string') ?? [];
  if (name !== undefined) return { data: { [name]: `${String(value)}-changed` } };
  const { replicas } = (spec ?? {}) as { readonly replicas?: unknown };
  return typeof replicas === 'number' ? { spec: { replicas: replicas + 1 } } : undefined;
}

/** Objects of others that have the names of the operator's. */
function foreign({ run }: Learned): readonly PlannedFault[] {
  return operatorObjects(run).flatMap(({ name, resource, body, isOwned }): PlannedFault[] =>
    isOwned ? [{ type: 'foreign', object: name, resource, body }] : [],
  );
}
