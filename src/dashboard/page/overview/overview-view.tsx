import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { ObjectList } from '../cluster/object-list.ts';
import { memberAt, stateOf, textAt } from '../cluster/object-parts.ts';
import { pathOf, type ResourceKind } from '../cluster/resource-kind.ts';
import { sleep } from '../browser/clock.ts';
import { ForwardedPortsCard } from '../object/forwarded-ports.tsx';
import { Age } from '../parts/age.tsx';
import { Problem } from '../parts/problem.tsx';
import { shortUser } from '../parts/short-user.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useRun } from '../parts/use-run.ts';
import { ChangePages } from '../past/change-pages.ts';
import { linkTo } from '../shell/router.ts';
import { sectionsOf } from '../shell/kind-sections.ts';
import { linkToList, linkToObject, useApp } from '../shell/app-context.ts';

const REFRESH_MS = 5_000;
const MAX_SHOWN = 12;
/** Sections whose kinds are counted, besides those of the cluster's own definitions. */
const COUNTED: ReadonlySet<string> = new Set(['Workloads', 'Network']);

/** What a glance at the cluster should tell: how much there is, what is not well, and what was warned about. */
export function OverviewView() {
  const { connection } = useApp();
  const info = connection.info.value;
  return (
    <section aria-label="Overview">
      <header class="view-header">
        <h1>
          {info?.clusterName ?? 'Cluster'}
          <small>{info?.serverVersion}</small>
        </h1>
      </header>
      <div class="overview-page">
        <Counts />
        <div class="overview-columns">
          <ForwardedPortsCard />
          <Unwell />
          <Warnings />
          {info?.canSeePast === true ? <Lately /> : null}
        </div>
      </div>
    </section>
  );
}

/** Numbers of objects, which lists of one object tell without the others. */
function Counts() {
  const { connection, discovery, namespace } = useApp();
  const counts = useSignal<ReadonlyMap<ResourceKind, number>>(new Map());
  const sections = sectionsOf(discovery.kinds.value);
  const nodes = discovery.find('nodes');
  const kinds = sections
    .filter(({ title, type }) => COUNTED.has(title) || type === 'custom')
    .flatMap((section) => section.kinds);
  const shown = nodes === undefined ? kinds : [nodes, ...kinds];
  useRun(
    async (signal) => {
      while (!signal.aborted) {
        for (const kind of shown) {
          const count = await countOf(kind, signal).catch(() => undefined); // kinds that the viewer may not list have no number
          if (signal.aborted) return;
          if (count !== undefined && counts.peek().get(kind) !== count)
            counts.value = new Map(counts.peek()).set(kind, count);
        }
        await sleep(REFRESH_MS, signal);
      }
    },
    [discovery.kinds.value, namespace.value, connection.generation.value],
  );
  const countOf = async (kind: ResourceKind, signal: AbortSignal): Promise<number> => {
    const path = `${pathOf(kind, { namespace: namespace.value })}?limit=1`;
    const list = await connection.clusterJson<{
      readonly items?: readonly unknown[];
      readonly metadata?: { readonly remainingItemCount?: number };
    }>(path, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json', signal });
    return (list.items?.length ?? 0) + (list.metadata?.remainingItemCount ?? 0);
  };
  return (
    <ul class="tiles" aria-label="How many there are">
      {shown.map((kind) => (
        <li key={`${kind.group}/${kind.resource}`}>
          <a href={linkToList(kind)} class={counts.value.get(kind) === 0 ? 'none' : ''}>
            <strong>{counts.value.get(kind) ?? '·'}</strong>
            <span>{pluralOf(kind, counts.value.get(kind))}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** `1 Pod`, `2 Pods`, `2 Ingresses`: the kind with the ending of its resource. */
function pluralOf({ kind, resource }: ResourceKind, count: number | undefined): string {
  const stem = kind.toLowerCase();
  if (count === 1) return kind;
  if (resource.startsWith(stem)) return kind + resource.slice(stem.length);
  return resource.endsWith('ies') && stem.endsWith('y') ? `${kind.slice(0, -1)}ies` : kind;
}

/** Pods that neither run nor have succeeded. */
function Unwell() {
  const { connection, discovery, namespace } = useApp();
  const kind = discovery.find('pods');
  const list = useMemo(
    () =>
      kind === undefined
        ? undefined
        : new ObjectList(connection, {
            kind,
            namespace: namespace.value,
            fieldSelector: 'status.phase!=Running,status.phase!=Succeeded',
          }),
    [connection, kind, namespace.value],
  );
  useRun(async (signal) => list?.run(signal), [list, connection.generation.value]);
  if (kind === undefined || list === undefined) return null;
  const pods = list.objects.value;
  return (
    <section class="card">
      <h2>Pods that do not run</h2>
      {list.error.value === undefined ? null : <Problem error={list.error.value} what="pods" />}
      {pods.length === 0 ? <p class="hint">{list.isLoaded.value ? 'None.' : 'Loading…'}</p> : null}
      <ul class="rows">
        {pods.slice(0, MAX_SHOWN).map((pod) => (
          <li key={pod.metadata?.uid}>
            <a href={linkToObject(kind, pod.metadata ?? {})}>
              {pod.metadata?.namespace}/{pod.metadata?.name}
            </a>
            <StateMark text={waitingReason(pod) || stateOf(pod)} />
          </li>
        ))}
        {pods.length > MAX_SHOWN ? <li class="hint">and {pods.length - MAX_SHOWN} more</li> : null}
      </ul>
    </section>
  );
}

function waitingReason(pod: unknown): string {
  const statuses = memberAt(pod, ['status', 'containerStatuses']);
  const reasons = Array.isArray(statuses)
    ? statuses.map((status) => textAt(status, ['state', 'waiting', 'reason']))
    : [];
  return reasons.find((reason) => reason !== '') ?? textAt(pod, ['status', 'reason']);
}

/** The newest changes that are not the cluster's own housekeeping. */
function Lately() {
  const { connection, namespace } = useApp();
  const pages = useMemo(
    () => new ChangePages(connection, { namespace: namespace.value }),
    [connection, namespace.value],
  );
  useRun((signal) => pages.run(signal), [pages, connection.generation.value]);
  const changes = pages.changes.value.filter(
    ({ subresource, resource }) => subresource !== 'status' && resource !== 'events',
  );
  return (
    <section class="card wide">
      <h2>
        <a href={linkTo(['history'])}>What changed lately</a>
      </h2>
      <ul class="rows">
        {changes.slice(0, MAX_SHOWN).map((change) => (
          <li key={change.revision}>
            <span>
              <StateMark
                text={change.verb}
                tone={change.verb === 'delete' ? 'bad' : change.verb === 'create' ? 'good' : 'plain'}
              />{' '}
              {change.kind}{' '}
              <a href={linkTo(['history', String(change.revision)])}>
                {change.namespace === undefined ? change.name : `${change.namespace}/${change.name}`}
              </a>{' '}
              <span class="hint">{(change.fields ?? []).slice(0, 2).join(', ')}</span>{' '}
              <small>{change.manager ?? shortUser(change.user ?? '')}</small>
            </span>
            <small>
              <Age since={change.time} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Warnings() {
  const { connection, discovery, namespace } = useApp();
  const kind = discovery.find('events');
  const list = useMemo(
    () =>
      kind === undefined
        ? undefined
        : new ObjectList(connection, { kind, namespace: namespace.value, fieldSelector: 'type=Warning' }),
    [connection, kind, namespace.value],
  );
  useRun(async (signal) => list?.run(signal), [list, connection.generation.value]);
  if (list === undefined) return null;
  const time = (event: unknown): string =>
    textAt(event, ['lastTimestamp']) ||
    textAt(event, ['eventTime']) ||
    textAt(event, ['metadata', 'creationTimestamp']);
  const events = [...list.objects.value].sort((left, right) => (time(left) < time(right) ? 1 : -1));
  return (
    <section class="card">
      <h2>Warnings</h2>
      {list.error.value === undefined ? null : <Problem error={list.error.value} what="events" />}
      {events.length === 0 ? <p class="hint">{list.isLoaded.value ? 'None.' : 'Loading…'}</p> : null}
      <ul class="rows">
        {events.slice(0, MAX_SHOWN).map((event) => {
          const about = discovery.findKind(
            textAt(event, ['involvedObject', 'apiVersion']),
            textAt(event, ['involvedObject', 'kind']),
          );
          const name = textAt(event, ['involvedObject', 'name']);
          const namespace = textAt(event, ['involvedObject', 'namespace']);
          return (
            <li key={event.metadata?.uid}>
              <span>
                <StateMark text={textAt(event, ['reason'])} tone="bad" />{' '}
                {about === undefined ? name : <a href={linkToObject(about, { namespace, name })}>{name}</a>}{' '}
                <small class="wrap">{textAt(event, ['message'])}</small>
              </span>
              <small>
                <Age since={time(event)} />
              </small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
