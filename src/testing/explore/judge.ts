import { formatDuration } from '../../base/index.ts';
import { type AnsweredObject, isWriteVerb, type Journal, type JournalRequest, resourceWords } from './journal.ts';
import { parseObjectName } from './other-users.ts';
import { changeWords, fieldOf } from './inputs/input-fault.ts';
import type { Plan, PlannedFault } from './plan.ts';
import type { Problem } from './problem.ts';
import type { Expected, RunResult } from './run-result.ts';

/** Writes in a time without events that are too many, beyond twice those of the run without faults. */
const IDLE_TOLERANCE = 5;
/** Writes in the long time without events that are too many for a run without faults. */
const MAX_CALM_WRITES = 20;

/** The writes in a long time in which nothing happens. */
export interface CalmWrites {
  readonly writes: number;
  readonly ms: number;
}

/** Kinds whose objects hold what cannot be made again. */
const PRECIOUS = new Set([
  'PersistentVolumeClaim',
  'PersistentVolume',
  'Secret',
  'Namespace',
  'CustomResourceDefinition',
]);

/** What is wrong with a run, besides what the run itself has found: judged by what the operator did. */
export function judge(
  result: RunResult,
  plan: Plan,
  calm: { readonly run: RunResult; readonly expected: Expected },
): readonly Problem[] {
  return [
    ...result.problems,
    ...idleProblems(result, calm.expected),
    ...ignored(result, plan),
    ...destroyed(result.journal, calm, plan),
    ...touched(result.journal, plan),
    ...(isUpgrade(plan) ? [] : untrue(result.journal)), // the new version may add children to what was ready
  ];
}

/** A change that users made, and that led to nothing. */
function ignored({ input, problems }: RunResult, plan: Plan): readonly Problem[] {
  const problem = input?.hasEffect === false && problems.length === 0 ? ignoredProblem(plan) : undefined;
  return problem === undefined ? [] : [problem];
}

/** The problem that the field which a plan changes last is ignored. */
export function ignoredProblem({ faults }: Plan): Problem | undefined {
  const fault = faults.find(({ type }) => type === 'input');
  if (fault?.type !== 'input') return undefined;
  const field = fieldOf(fault);
  const change = fault.changes.at(-1);
  const example = change === undefined ? '' : `, as when ${changeWords(change)}`;
  return { oracle: 'ignored', message: `${field} can be set, and nothing comes of it${example}`, subject: field };
}

function isUpgrade({ faults }: Plan): boolean {
  return faults.some(({ type }) => type === 'upgrade');
}

/** What is wrong with the run without faults. */
export function judgeCalm({ journal, problems }: RunResult, calm: CalmWrites): readonly Problem[] {
  const busy = calm.writes > MAX_CALM_WRITES;
  const message = `it writes although nothing changes: ${calm.writes} times in ${formatDuration(calm.ms)}`;
  return [...problems, ...(busy ? [{ oracle: 'busy', message, subject: 'idle' } as const] : []), ...untrue(journal)];
}

function idleProblems(result: RunResult, expected: Expected): readonly Problem[] {
  const counts = [
    ...[...result.idleWritesAfter].map(([step, writes]) => ({
      when: `after step "${step}"`,
      writes,
      calm: expected.idleWritesAfter.get(step) ?? writes,
    })),
    { when: 'at the end', writes: result.idleWrites, calm: expected.idleWrites },
  ];
  const busy = counts.find(({ writes, calm }) => writes > 2 * calm + IDLE_TOLERANCE);
  if (busy === undefined) return [];
  const message = `it writes although nothing changes: ${busy.writes} times ${busy.when}, and ${busy.calm} times without faults`;
  return [{ oracle: 'busy', message, subject: 'idle' }];
}

/** Precious objects that were deleted, or overwritten, more often than without faults. */
function destroyed(
  journal: Journal,
  { run, expected }: { readonly run: RunResult; readonly expected: Expected },
  plan: Plan,
): readonly Problem[] {
  const isMeant = ({ type }: PlannedFault): boolean => ['foreign', 'replaced', 'input'].includes(type);
  if (plan.faults.some(isMeant)) return [];
  const [before, now] = [losses(run.journal), losses(journal)];
  const kept = new Set([...expected.states.values()].flatMap(({ objects }) => objects.map(({ id }) => id)));
  return [...now].flatMap(([loss, count]): Problem[] =>
    count > (before.get(loss) ?? 0) && (!isUpgrade(plan) || [...kept].some((id) => loss.endsWith(` ${id}`)))
      ? [{ oracle: 'destroyed', message: `it ${loss}`, subject: loss }]
      : [],
  );
}

function losses(journal: Journal): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const contents = new Map<string, string>();
  for (const request of journal.writes) {
    if (!isDone(request) || request.answer === undefined) continue;
    const { answer, verb } = request;
    const kind = verb === 'delete' ? kindOfResource(request) : (answer.kind ?? '');
    if (!PRECIOUS.has(kind)) continue;
    const what = `${kind} ${request.namespace === '' ? '' : `${request.namespace}/`}${request.name || (answer.metadata?.name ?? '')}`;
    if (verb === 'delete') count(counts, `deletes ${what}`);
    else if (kind === 'Secret') {
      const uid = answer.metadata?.uid ?? '';
      const data = JSON.stringify(answer.data ?? {});
      const former = contents.get(uid);
      contents.set(uid, data);
      if (former !== undefined && former !== data) count(counts, `overwrites the data of ${what}`);
    }
  }
  return counts;
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['persistentvolumeclaims', 'PersistentVolumeClaim'],
  ['persistentvolumes', 'PersistentVolume'],
  ['secrets', 'Secret'],
  ['namespaces', 'Namespace'],
  ['customresourcedefinitions', 'CustomResourceDefinition'],
]);

/** Answers to deletions may be a Status. */
function kindOfResource({ resource, subresource }: JournalRequest): string {
  return subresource === '' ? (KINDS.get(resource) ?? '') : '';
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** Writes to objects of another owner. */
function touched({ writes }: Journal, { faults }: Plan): readonly Problem[] {
  return faults.flatMap((fault): Problem[] => {
    if (fault.type !== 'foreign') return [];
    const { namespace = '', name } = parseObjectName(fault.object);
    const isIts = (each: JournalRequest): boolean => each.namespace === namespace && each.name === name;
    const write = writes.find((each) => isDone(each) && isIts(each) && resourceWords(each) === fault.resource);
    if (write === undefined) return [];
    const message = `it sends "${write.request}", although the object belongs to another owner`;
    return [{ oracle: 'foreign', message, subject: fault.object }];
  });
}

function isDone({ code = 0, verb, sent }: JournalRequest): boolean {
  const isDry = (sent as { readonly dryRun?: unknown } | undefined)?.dryRun !== undefined;
  return isWriteVerb(verb) && code >= 200 && code < 300 && !isDry;
}

/** Objects that said to be ready before the operator had created what belongs to them. */
function untrue({ writes }: Journal): readonly Problem[] {
  const ready = new Map<string, JournalRequest>();
  const created = new Set<string>();
  for (const request of writes) {
    const { answer, code, subresource } = request;
    if (answer === undefined || !isDone(request)) continue;
    const { uid = '', generation } = answer.metadata ?? {};
    if (subresource === 'status') {
      if (isReady(answer.status)) ready.set(`${uid} ${generation}`, request);
      else ready.delete(`${uid} ${generation}`);
      continue;
    }
    if (code !== 201) continue;
    const name = `${answer.kind} ${answer.metadata?.namespace}/${answer.metadata?.name}`;
    const isNew = !created.has(name);
    created.add(name);
    for (const owner of answer.metadata?.ownerReferences ?? []) {
      const said = [...ready].find(([key]) => key.startsWith(`${owner.uid} `))?.[1];
      if (said === undefined || !isNew || said.step !== request.step) continue;
      const message = `${owner.kind} ${said.namespace}/${said.name} said that it is ready before "${request.request}"`;
      return [{ oracle: 'untrue', message, subject: `${owner.kind} ${answer.kind}` }];
    }
  }
  return [];
}

const READY_PHASES = new Set(['Ready', 'Running', 'Active', 'Available', 'Succeeded', 'Complete']);

function isReady(status: AnsweredObject['status']): boolean {
  const {
    conditions = [],
    phase,
    ready,
  } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
    readonly phase?: string;
    readonly ready?: unknown;
  };
  const states = Array.isArray(conditions) ? conditions : [];
  const isTrue = states.some(
    ({ type, status: value }) => (type === 'Ready' || type === 'Available') && value === 'True',
  );
  return isTrue || ready === true || (phase !== undefined && READY_PHASES.has(phase));
}
