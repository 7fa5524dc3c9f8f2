import { useSignal } from '@preact/signals';
import type { ControllerState } from '../../protocol.ts';
import { formatDuration, formatSpan } from '../browser/ages.ts';
import { now, second } from '../browser/clock.ts';
import { StateMark } from '../parts/state-mark.tsx';

/** Controllers with their queues: what waits, what is worked on, and what fails and is tried again. */
export function ControllersPart({ controllers }: { readonly controllers: readonly ControllerState[] | undefined }) {
  const hasQuiet = useSignal(false);
  if (controllers === undefined) return null;
  const urgency = ({ failing, depth, active }: ControllerState): number =>
    (failing?.length ?? 0) * 1e6 + (active?.length ?? 0) * 1e3 + (depth ?? 0);
  const sorted = [...controllers].sort(
    (left, right) => urgency(right) - urgency(left) || (left.name < right.name ? -1 : 1),
  );
  const isQuiet = (controller: ControllerState): boolean => controller.isAsleep === true && urgency(controller) === 0;
  const quiet = sorted.filter(isQuiet);
  const shown = hasQuiet.value ? sorted : sorted.filter((controller) => !isQuiet(controller));
  return (
    <section class="card wide">
      <h2>Controllers and their queues</h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Controller</th>
            <th scope="col">Program</th>
            <th scope="col">Waiting</th>
            <th scope="col">Working on</th>
            <th scope="col">Runs</th>
            <th scope="col">Takes</th>
            <th scope="col">Failing, and tried again</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((controller) => (
            <ControllerRow key={`${controller.program}/${controller.name}`} controller={controller} />
          ))}
        </tbody>
      </table>
      {quiet.length === 0 ? null : (
        <button type="button" class="quiet" onClick={() => (hasQuiet.value = !hasQuiet.value)}>
          {hasQuiet.value ? 'Hide those that sleep' : `${quiet.length} sleep until there is work for them`}
        </button>
      )}
    </section>
  );
}

function ControllerRow({ controller }: { readonly controller: ControllerState }) {
  const { name, program, depth, active, failing, runs, holder, isAsleep } = controller;
  void second.value;
  return (
    <tr>
      <td>{name}</td>
      <td>
        {program}
        {holder === undefined ? null : <small class="holder">led by {holder}</small>}
      </td>
      <td>{isAsleep === true ? <span class="hint">asleep</span> : (depth ?? '–')}</td>
      <td class="wrap">
        {(active ?? []).map(({ key, forMs }) => (
          <span key={key} class="chip">
            {key} <small>{formatDuration(forMs)}</small>
          </span>
        ))}
      </td>
      <td>
        {runs === undefined ? '–' : runs.total}
        {runs !== undefined && runs.failed > 0 ? <small class="state bad"> {runs.failed} failed</small> : null}
      </td>
      <td>
        {runs === undefined || runs.total === 0
          ? ''
          : `${formatDuration(runs.medianMs)} – ${formatDuration(runs.maxMs)}`}
      </td>
      <td class="wrap">
        {(failing ?? []).map(({ key, failures, message, nextRetry }) => (
          <p key={key}>
            <StateMark text={key} tone="bad" /> <small>{failures}×</small>
            {nextRetry === undefined ? null : (
              <small> again in {formatSpan(Math.max(0, Date.parse(nextRetry) - now()))}</small>
            )}
            <br />
            <small>{message}</small>
          </p>
        ))}
      </td>
    </tr>
  );
}
