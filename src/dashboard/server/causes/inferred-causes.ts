import type { Client } from '../../../client/index.ts';
import type { CauseGraph, Change, ObjectReference, WriteNode } from '../../protocol.ts';
import type { PastSource } from '../past/past-source.ts';
import { CauseGraphBuilder } from './cause-graph.ts';
import type { CauseQuery } from './cause-query.ts';
import { addEvents } from './event-nodes.ts';
import { familyOf, type Member, ownersOf, readObject, uidOf } from './family.ts';

export interface InferenceParts {
  readonly client: Client;
  readonly past: PastSource | undefined;
  readonly signal: AbortSignal;
}

/** The graph around an object, from owners, managers of fields, recorded changes and Events: on API servers that note no causes. */
export async function inferredCauses(asked: CauseQuery, parts: InferenceParts): Promise<CauseGraph> {
  const { client, past, signal } = parts;
  const graph = new CauseGraphBuilder();
  const focus = await focusOf(asked, parts);
  const family = focus === undefined ? [] : await familyOf(client, focus, signal);
  const changes = past === undefined ? [] : (await past.page(new URLSearchParams({ limit: '1000' }))).items;
  const last = new Map<string, readonly WriteNode[]>();
  for (const member of family) {
    const nodes = writesOf(member, changes);
    for (const node of nodes) graph.add(node);
    last.set(uidOf(member.object), nodes);
  }
  for (const { object } of family)
    for (const { uid } of ownersOf(object)) {
      const [created] = last.get(uidOf(object)) ?? [];
      const ownerWrites = last.get(uid) ?? [];
      const cause =
        created === undefined
          ? undefined
          : (ownerWrites.findLast(({ time }) => time <= created.time) ?? ownerWrites[0]);
      if (cause !== undefined && created !== undefined) graph.link(cause.id, created.id, 'owns');
    }
  for (const nodes of last.values())
    for (const [index, node] of nodes.entries()) {
      const before = nodes[index - 1];
      if (before !== undefined) graph.link(before.id, node.id, 'saw');
    }
  await addEvents(graph, { client, namespace: focus?.object.metadata?.namespace ?? asked.namespace, signal });
  const own = focus === undefined ? [] : (last.get(uidOf(focus.object)) ?? []);
  const revision = asked.revision === '' ? [] : own.filter((node) => String(node.revision) === asked.revision);
  return graph.around(
    [...revision, ...own].map(({ id }) => id),
    { depth: asked.depth, source: 'inferred' },
  );
}

async function focusOf(asked: CauseQuery, { client, past, signal }: InferenceParts): Promise<Member | undefined> {
  const change = asked.revision === '' ? undefined : await past?.change(asked.revision);
  const resource =
    change === undefined ? asked.resource : `${change.resource}${change.group === '' ? '' : `.${change.group}`}`;
  const [plural = '', ...group] = resource.split('.');
  const kinds = await client.apis.kinds({ signal });
  const kind = kinds.find((each) => each.plural === plural && each.group === group.join('.'));
  if (kind === undefined) return undefined;
  const namespace = change?.namespace ?? (asked.namespace === '' ? undefined : asked.namespace);
  const object = await readObject(client, kind, { namespace, name: change?.name ?? asked.name }, signal);
  if (object !== undefined) return { kind, object };
  const known = change?.after ?? change?.before;
  return known === undefined ? undefined : { kind, object: known };
}

/** An object's creation, the last write of each manager of its fields, and the changes that were seen, in order of time. */
function writesOf({ kind, object }: Member, changes: readonly Change[]): readonly WriteNode[] {
  const { metadata } = object;
  const uid = uidOf(object);
  const reference: ObjectReference = {
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    ...(metadata?.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata?.name ?? '',
    uid,
  };
  const node = (id: string, verb: string, rest: Pick<WriteNode, 'time'> & Partial<WriteNode>): WriteNode => ({
    type: 'write',
    id: `${uid}:${id}`,
    title: `${verb} ${kind.plural}${rest.subresource === undefined ? '' : `/${rest.subresource}`} ${metadata?.namespace === undefined ? '' : `${metadata.namespace}/`}${reference.name}`,
    verb,
    object: reference,
    ...rest,
  });
  const seen = changes.filter((change) => change.uid === uid);
  const seenFrom = seen.at(-1)?.time ?? '~';
  const managers = (metadata?.['managedFields'] ?? []) as readonly {
    manager?: string;
    operation?: string;
    time?: string;
    subresource?: string;
  }[];
  const created = metadata?.['creationTimestamp'];
  const first = managers.find(({ time }) => time === created)?.manager;
  const nodes = [
    ...(typeof created === 'string' && !seen.some(({ verb }) => verb === 'create')
      ? [node('created', 'create', { time: exact(created), ...(first === undefined ? {} : { program: first }) })]
      : []),
    ...managers.flatMap(({ manager = '', operation = 'Update', time, subresource }, index) =>
      time === undefined || time === created || exact(time) >= seenFrom
        ? []
        : [
            node(`m${index}`, operation === 'Apply' ? 'apply' : 'update', {
              time: exact(time),
              program: manager,
              ...(subresource === undefined || subresource === '' ? {} : { subresource }),
            }),
          ],
    ),
    ...seen.map(({ revision, verb, time, manager, subresource, fields }) =>
      node(String(revision), verb, {
        time,
        revision,
        ...(fields === undefined || fields.length === 0 ? {} : { message: fields.join(', ') }),
        ...(manager === undefined ? {} : { program: manager }),
        ...(subresource === undefined ? {} : { subresource }),
      }),
    ),
  ];
  return nodes.toSorted((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0));
}

/** With milliseconds, so that texts compare as times. */
function exact(time: string): string {
  return new Date(time).toISOString();
}
