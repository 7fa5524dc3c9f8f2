import { type ResourceRequest } from '../resource-request.ts';
import type { ProcessSurroundings } from './explored-process.ts';
import { type AnsweredObject, type JournalRequest, resourceWords } from './journal.ts';

type Notebook = Pick<ProcessSurroundings, 'cluster' | 'journal' | 'names' | 'step'>;

/** Where and when something happens in a run. */
export function nowIn({ cluster, step }: Pick<Notebook, 'cluster' | 'step'>): {
  readonly step: number;
  readonly atMs: number;
} {
  return { step: step(), atMs: cluster.clock.monotonic() };
}

/** Writes a request into the journal, in the words by which plans name it. */
export function noteRequest(
  request: ResourceRequest,
  { body, isOfRun }: { readonly body: unknown; readonly isOfRun: boolean },
  around: Notebook,
): JournalRequest {
  const { journal, names } = around;
  const { verb, group, resource, subresource, namespace, query } = request;
  const { name = '', generateName } = (body as AnsweredObject | undefined)?.metadata ?? {};
  const given = name === '' && generateName !== undefined ? `${generateName}*` : name;
  const called = names.plain(request.name === '' ? given : request.name);
  const whole = `${resourceWords(request)}${subresource === '' ? '' : `/${subresource}`}`;
  const words = `${verb} ${whole} ${namespace === '' ? called : `${namespace}/${called}`}`.trimEnd();
  return journal.add<JournalRequest>({
    type: 'request',
    request: words,
    nth: journal.count(words),
    ...nowIn(around),
    verb,
    group,
    resource,
    subresource,
    namespace,
    name: called,
    isOfRun,
    takesAnyVersion: verb === 'list' && query.get('resourceVersion') === '0',
    sent: body,
    code: undefined,
    answer: undefined,
    fault: undefined,
  });
}

/** Notes the object in an answer, and what names in it stand for. */
export function noteAnswer(entry: JournalRequest, object: unknown, { names }: Pick<Notebook, 'names'>): void {
  if (entry.verb === 'list') {
    const { items = [] } = object as { readonly items?: readonly AnsweredObject[] };
    for (const item of items) names.note(item);
    return;
  }
  entry.answer = object as AnsweredObject;
  names.note(entry.answer);
}

/** Notes an event that a watch shows. */
export function noteEvent(
  { type, object }: { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: AnsweredObject },
  resource: string,
  around: Notebook,
): void {
  const { journal, names } = around;
  names.note(object);
  const { namespace = '', name = '' } = object.metadata ?? {};
  const key = names.plain(namespace === '' ? name : `${namespace}/${name}`);
  journal.add({ type: 'event', ...nowIn(around), resource, change: type, key });
}
