import type { Event } from '../../../api/types/core/v1.d.ts';
import type { Client } from '../../../client/index.ts';
import type { EventNode, ObjectReference, WriteNode } from '../../protocol.ts';
import type { CauseGraphBuilder } from './cause-graph.ts';

/** Adds the Events about objects that were written, each below the last write before it. */
export async function addEvents(
  graph: CauseGraphBuilder,
  { client, namespace, signal }: { readonly client: Client; readonly namespace: string; readonly signal: AbortSignal },
): Promise<void> {
  const path = namespace === '' ? '/api/v1/events' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const list = (await client.request({ method: 'GET', path, query: { limit: '500' }, signal }).catch(() => ({}))) as {
    readonly items?: readonly Event[];
  };
  signal.throwIfAborted();
  const writes = new Map<string, WriteNode[]>();
  for (const node of graph.nodes) {
    if (node.type !== 'write') continue;
    const key = `${node.object.namespace ?? ''}/${node.object.name}`;
    writes.set(key, [...(writes.get(key) ?? []), node]);
  }
  for (const event of list.items ?? []) {
    const { involvedObject, metadata } = event;
    const about = writes.get(`${involvedObject.namespace ?? ''}/${involvedObject.name ?? ''}`) ?? [];
    const time = timeOf(event);
    const cause =
      about.filter((node) => node.time <= time && isOf(node.object, involvedObject.apiVersion)).at(-1) ?? about[0];
    if (cause === undefined) continue;
    const shownAt = hasExactTime(event) || cause.time > time ? time : latest(startOfSecond(time), cause.time);
    const node = eventNode(event, cause.object, shownAt);
    graph.add({ ...node, id: `e:${metadata?.namespace ?? ''}/${metadata?.name ?? ''}` });
    graph.link(cause.id, `e:${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`, 'reported');
  }
}

function eventNode(event: Event, object: ObjectReference, time: string): EventNode {
  const { reason = '', message = '', type, source, reportingComponent } = event;
  const reporter = reportingComponent || source?.component;
  return {
    type: 'event',
    id: '',
    time,
    title: `${reason} ${object.resource} ${object.name}`,
    message,
    object,
    reason,
    isWarning: type === 'Warning',
    ...(reporter === undefined ? {} : { reporter }),
  };
}

function hasExactTime({ eventTime }: Event): boolean {
  return eventTime !== undefined && eventTime !== null;
}

function startOfSecond(time: string): string {
  return `${time.slice(0, 19)}.000Z`;
}

function latest(left: string, right: string): string {
  return left > right ? left : right;
}

/** The most exact of its times: the end of the second where it has no fractions. Microseconds are cut to milliseconds. */
function timeOf({ eventTime, firstTimestamp, lastTimestamp, metadata }: Event): string {
  const text = eventTime ?? firstTimestamp ?? lastTimestamp ?? metadata?.creationTimestamp ?? '';
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return text;
  // times of whole seconds may be before the write that they are about
  return new Date(text.includes('.') ? ms : ms + 999).toISOString();
}

function isOf({ group }: ObjectReference, apiVersion = ''): boolean {
  const slash = apiVersion.indexOf('/');
  return apiVersion === '' || (slash < 0 ? '' : apiVersion.slice(0, slash)) === group;
}
