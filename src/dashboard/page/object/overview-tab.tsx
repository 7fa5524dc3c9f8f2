import { useMemo } from 'preact/hooks';
import type { KubernetesObject } from '../../protocol.ts';
import { ObjectList } from '../cluster/object-list.ts';
import { conditionsOf, memberAt, textAt } from '../cluster/object-parts.ts';
import type { ResourceKind } from '../cluster/resource-kind.ts';
import { Age } from '../parts/age.tsx';
import { Problem } from '../parts/problem.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';
import { linkTo } from '../shell/router.ts';
import { FamilyTreeView } from './family-tree-view.tsx';
import { PortHints } from './port-hints.tsx';
import { UsageCard } from '../usage/usage-card.tsx';
import type { TabProps } from './tab-props.ts';

/** The family, conditions, labels and events of an object. */
export function OverviewTab({ kind, object }: TabProps) {
  return (
    <div class="overview">
      <div class="column-main">
        <FamilyTreeView kind={kind} object={object} />
        <Conditions object={object} />
        <Events object={object} />
      </div>
      <aside class="column-side" aria-label="Labels and annotations">
        <UsageCard kind={kind} object={object} />
        <Pairs kind={kind} object={object} member="labels" />
        <Containers object={object} />
        <PortHints kind={kind} object={object} />
        <Pairs kind={kind} object={object} member="annotations" />
        <Finalizers object={object} />
      </aside>
    </div>
  );
}

function Conditions({ object }: { readonly object: KubernetesObject }) {
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return null;
  return (
    <section class="card">
      <h2>Conditions</h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Status</th>
            <th scope="col">Since</th>
            <th scope="col">Reason and message</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <tr key={type}>
              <td>{type}</td>
              <td>
                {status === 'True' ? (
                  <StateMark text={status} tone={isBadWhenTrue(type) ? 'bad' : 'good'} />
                ) : (
                  <StateMark text={status} tone={isBadWhenTrue(type) ? 'plain' : 'busy'} />
                )}
              </td>
              <td>
                <Age since={lastTransitionTime} />
              </td>
              <td class="wrap">
                {reason} {message === undefined || message === '' ? null : <small>{message}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function isBadWhenTrue(type: string): boolean {
  return /Fail|Pressure|Unavailable|Stalled|Degraded|Terminating$|Dangling/.test(type);
}

function Events({ object }: { readonly object: KubernetesObject }) {
  const { connection, discovery, moment } = useApp();
  const kind = discovery.find('events');
  const { uid, namespace } = object.metadata ?? {};
  const at = moment.value?.revision;
  const list = useMemo(
    () =>
      kind === undefined
        ? undefined
        : new ObjectList(connection, {
            kind,
            namespace,
            at,
            ...(at === undefined ? { fieldSelector: `involvedObject.uid=${uid}` } : {}),
          }),
    [connection, kind, namespace, uid, at],
  );
  useRun(async (signal) => list?.run(signal), [list, connection.generation.value]);
  if (list === undefined) return null;
  const events = list.objects.value
    .filter((event) => memberAt(event, ['involvedObject', 'uid']) === uid)
    .map((event) => ({ event, time: timeOf(event) }))
    .sort((left, right) => right.time - left.time);
  return (
    <section class="card">
      <h2>Events</h2>
      {list.error.value === undefined ? null : <Problem error={list.error.value} what="events" />}
      {events.length === 0 ? (
        <p class="hint">{list.isLoaded.value ? 'There are none.' : 'Loading…'}</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Last seen</th>
              <th scope="col">Reason</th>
              <th scope="col">From</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {events.map(({ event, time }) => (
              <tr key={event.metadata?.uid}>
                <td>
                  <Age since={time} />
                  {Number(textAt(event, ['count'])) > 1 ? <small> ×{textAt(event, ['count'])}</small> : null}
                </td>
                <td>
                  <StateMark
                    text={textAt(event, ['reason'])}
                    tone={textAt(event, ['type']) === 'Warning' ? 'bad' : 'plain'}
                  />
                </td>
                <td>{textAt(event, ['source', 'component']) || textAt(event, ['reportingComponent'])}</td>
                <td class="wrap">{textAt(event, ['message'])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function timeOf(event: KubernetesObject): number {
  const times = [['series', 'lastObservedTime'], ['lastTimestamp'], ['eventTime'], ['metadata', 'creationTimestamp']];
  for (const path of times) {
    const time = Date.parse(textAt(event, path));
    if (!Number.isNaN(time)) return time;
  }
  return 0;
}

const MAX_TEXT = 200;

function Pairs({
  kind,
  object,
  member,
}: {
  readonly kind: ResourceKind;
  readonly object: KubernetesObject;
  readonly member: 'labels' | 'annotations';
}) {
  const pairs = Object.entries((object.metadata?.[member] as Record<string, string> | undefined) ?? {});
  if (pairs.length === 0) return null;
  const listPath = ['list', kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`];
  return (
    <section class="card">
      <h2>{member === 'labels' ? 'Labels' : 'Annotations'}</h2>
      <ul class="pairs">
        {pairs.map(([name, value]) => (
          <li key={name}>
            <span class="pair-name">{name}</span>
            {member === 'labels' ? (
              <a href={linkTo(listPath, { labels: `${name}=${value}` })} title={`All with ${name}=${value}`}>
                {value === '' ? '(empty)' : value}
              </a>
            ) : (
              <span class="mono wrap">{value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ContainerStatus {
  readonly name?: string;
  readonly restartCount?: number;
  readonly state?: Readonly<
    Record<string, { readonly reason?: string; readonly exitCode?: number; readonly startedAt?: string }>
  >;
}

/** Containers and how they are, for kinds whose status says it. */
function Containers({ object }: { readonly object: KubernetesObject }) {
  const statuses = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].flatMap((member) => {
    const list = memberAt(object, ['status', member]);
    return Array.isArray(list) ? (list as ContainerStatus[]) : [];
  });
  if (statuses.length === 0) return null;
  return (
    <section class="card">
      <h2>Containers</h2>
      <ul class="pairs">
        {statuses.map(({ name, restartCount, state }) => {
          const [type = 'unknown', detail] = Object.entries(state ?? {})[0] ?? [];
          const tone =
            type === 'running'
              ? 'good'
              : type === 'terminated' && detail?.exitCode === 0
                ? 'plain'
                : type === 'waiting'
                  ? 'busy'
                  : 'bad';
          return (
            <li key={name}>
              <span class="pair-name">{name}</span>
              <span>
                <StateMark text={detail?.reason ?? type} tone={tone} />
                {(restartCount ?? 0) > 0 ? <small> {restartCount} restarts</small> : null}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Finalizers({ object }: { readonly object: KubernetesObject }) {
  const finalizers = object.metadata?.['finalizers'];
  if (!Array.isArray(finalizers) || finalizers.length === 0) return null;
  return (
    <section class="card">
      <h2>Finalizers</h2>
      <ul class="pairs">
        {finalizers.map((finalizer) => (
          <li key={String(finalizer)} class="mono wrap">
            {String(finalizer)}
          </li>
        ))}
      </ul>
    </section>
  );
}
