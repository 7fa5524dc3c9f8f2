import type { SchedulerState } from '../../protocol.ts';
import { formatTime } from '../browser/ages.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { linkToObject } from '../shell/app-context.ts';

const PODS = { group: '', resource: 'pods' };
const NODES = { group: '', resource: 'nodes' };
const MAX_DECISIONS = 30;

export function SchedulersPart({ schedulers }: { readonly schedulers: readonly SchedulerState[] | undefined }) {
  if (schedulers === undefined) return null;
  return (
    <>
      {schedulers.map(({ name, profiles, extenders, decisions, holder }) => (
        <section key={name} class="card wide">
          <h2>
            Scheduler {name} {holder === undefined ? null : <small>led by {holder}</small>}
          </h2>
          {profiles.map(({ schedulerName, plugins }) => (
            <details key={schedulerName}>
              <summary>
                Profile {schedulerName}
                {plugins === undefined ? '' : `: ${Object.keys(plugins).length} extension points`}
              </summary>
              <dl class="points">
                {Object.entries(plugins ?? {}).map(([point, names]) => (
                  <div key={point}>
                    <dt>{point}</dt>
                    <dd class="wrap">{names.join(' → ')}</dd>
                  </div>
                ))}
              </dl>
            </details>
          ))}
          {(extenders ?? []).map(({ url, verbs }) => (
            <p key={url}>
              Extender <code>{url}</code>: {verbs.join(', ')}
            </p>
          ))}
          {decisions === undefined ? null : decisions.length === 0 ? (
            <p class="hint">No decision yet.</p>
          ) : (
            <table class="plain">
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  <th scope="col">Pod</th>
                  <th scope="col">Node</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {decisions.slice(0, MAX_DECISIONS).map(({ namespace, pod, time, node, message }) => (
                  <tr key={`${namespace}/${pod}/${time}`}>
                    <td>{formatTime(time)}</td>
                    <td>
                      <a href={linkToObject(PODS, { namespace, name: pod })}>
                        {namespace}/{pod}
                      </a>
                    </td>
                    <td>
                      {node === undefined ? (
                        <StateMark text="none" tone="bad" />
                      ) : (
                        <a href={linkToObject(NODES, { name: node })}>{node}</a>
                      )}
                    </td>
                    <td class="wrap">{message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      ))}
    </>
  );
}
