import { useSignal } from '@preact/signals';
import type { ExtensionMap, Health } from '../../protocol.ts';
import { sleep } from '../browser/clock.ts';
import { resourceName } from '../cluster/resource-kind.ts';
import { Problem } from '../parts/problem.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';
import { linkTo, type Route } from '../shell/router.ts';
import { AdmissionPart } from './admission-part.tsx';
import { ControllersPart } from './controllers-part.tsx';
import { MechanismsPart } from './mechanisms-part.tsx';
import { NodesPart } from './nodes-part.tsx';
import { SchedulersPart } from './schedulers-part.tsx';

const REFRESH_MS = 2_500;

/** Everything that extends this cluster, and how it does. */
export function ExtensionsView({ route }: { readonly route: Route }) {
  const { connection, discovery, router } = useApp();
  const { resource = '' } = route.parameters;
  const map = useSignal<ExtensionMap | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useRun(
    async (signal) => {
      while (!signal.aborted) {
        try {
          map.value = await connection.own<ExtensionMap>(
            `extensions${resource === '' ? '' : `?resource=${encodeURIComponent(resource)}`}`,
            { signal },
          );
          error.value = undefined;
        } catch (cause) {
          if (!signal.aborted) error.value = cause;
        }
        await sleep(REFRESH_MS, signal);
      }
    },
    [connection, resource, connection.generation.value],
  );
  const known = map.value;
  if (known === undefined)
    return error.value === undefined ? (
      <p class="empty">Loading…</p>
    ) : (
      <Problem error={error.value} what="extension points" />
    );
  return (
    <section class="extensions" aria-label="Extension points">
      <header class="view-header">
        <h1>Extension points</h1>
        <label class="picker">
          <span>requests about</span>
          <select value={resource} onChange={({ currentTarget }) => router.adjust({ resource: currentTarget.value })}>
            <option value="">any kind</option>
            {discovery.kinds.value.map((kind) => (
              <option key={resourceName(kind)} value={resourceName(kind)}>
                {resourceName(kind)}
              </option>
            ))}
          </select>
        </label>
        <a class="button" href={linkTo(['try'])}>
          What would happen to an object?
        </a>
      </header>
      <div class="parts">
        <MechanismsPart title="1. Who asks: authenticators" mechanisms={known.authenticators} />
        <MechanismsPart title="2. May they: authorizers" mechanisms={known.authorizers} />
        <AdmissionPart steps={known.webhooks} resource={resource} />
        <GroupsPart map={known} />
        <ControllersPart controllers={known.controllers} />
        <SchedulersPart schedulers={known.schedulers} />
        <NodesPart nodes={known.nodes} />
        {known.hidden.length === 0 ? null : (
          <section class="card">
            <h2>Not for you to see</h2>
            <ul class="pairs">
              {known.hidden.map(({ part, reason }) => (
                <li key={part}>
                  <span class="pair-name">{part}</span>
                  {reason}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </section>
  );
}

export function HealthMark({ health }: { readonly health: Health }) {
  const tone = health.state === 'ok' ? 'good' : health.state === 'failing' ? 'bad' : 'plain';
  return (
    <span title={health.message}>
      <StateMark text={health.reason ?? health.state} tone={tone} />
    </span>
  );
}

function GroupsPart({ map }: { readonly map: ExtensionMap }) {
  const { groups } = map;
  if (groups === undefined) return null;
  const extended = groups.filter(({ servedBy }) => servedBy.type !== 'built-in');
  const builtIn = groups.filter(({ servedBy }) => servedBy.type === 'built-in');
  return (
    <section class="card wide">
      <h2>API groups and who serves them</h2>
      {extended.length === 0 ? (
        <p class="hint">
          No group is added: there are no CustomResourceDefinitions and no APIServices of other servers.
        </p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col">Versions</th>
              <th scope="col">Served by</th>
              <th scope="col">Health</th>
              <th scope="col">Kinds</th>
            </tr>
          </thead>
          <tbody>
            {extended.map(({ group, versions, servedBy, health, resources }) => (
              <tr key={group}>
                <td>{group}</td>
                <td>{versions.join(', ')}</td>
                <td>
                  {servedBy.type === 'service'
                    ? `service ${servedBy.namespace}/${servedBy.name}:${servedBy.port}`
                    : 'definitions'}
                </td>
                <td>
                  <HealthMark health={health} />
                </td>
                <td class="wrap">
                  {resources.map(({ resource, kind, conversion, health: own }) => (
                    <span key={resource} class="chip">
                      <a href={linkTo(['list', `${resource}.${group}`])}>{kind}</a>
                      {conversion === 'webhook' ? <small> converted by a webhook</small> : null}
                      {own === undefined || own.state === 'ok' ? null : <HealthMark health={own} />}
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details>
        <summary>
          {builtIn.length} groups are built in, with {builtIn.reduce((sum, { resources }) => sum + resources.length, 0)}{' '}
          kinds
        </summary>
        <p class="wrap hint">{builtIn.map(({ group }) => (group === '' ? 'core' : group)).join(', ')}</p>
      </details>
    </section>
  );
}
