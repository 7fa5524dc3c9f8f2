import { useSignal } from '@preact/signals';
import type { ClockCommand, ClockState, ClockStep } from '../../protocol.ts';
import { formatTime } from '../browser/ages.ts';
import { setClusterTime, sleep } from '../browser/clock.ts';
import { messageOf } from '../cluster/api-error.ts';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';

const REFRESH_MS = 1_000;
const STEPS = [
  ['write', 'Next write'],
  ['reconcile', 'Next reconcile'],
  ['minute', 'Next minute'],
] as const;

/** The clock of a cluster in virtual time: it can be stopped, and moved on step by step. */
export function ClusterClock() {
  const { connection, notices } = useApp();
  const clock = useSignal<ClockState | undefined>(undefined);
  const ended = useSignal('');
  const isBusy = useSignal(false);
  const canStep = connection.info.value?.canStep === true;
  const keep = (state: ClockState): void => {
    clock.value = state;
    setClusterTime(Date.parse(state.now), state.isPaused);
  };
  useRun(
    async (signal) => {
      while (!signal.aborted && canStep) {
        try {
          keep(await connection.own<ClockState>('clock', { signal }));
        } catch {
          // the banner says that the server is away
        }
        await sleep(REFRESH_MS, signal);
      }
    },
    [connection, canStep, connection.generation.value],
  );
  const state = clock.value;
  if (!canStep || state === undefined || !state.isVirtual) return null;
  const send = async (command: ClockCommand): Promise<void> => {
    isBusy.value = true;
    try {
      const step = await connection.own<ClockStep>('clock', { method: 'POST', body: JSON.stringify(command) });
      keep(step);
      ended.value = step.ended?.title ?? '';
    } catch (error) {
      notices.add(messageOf(error), { isError: true });
    }
    isBusy.value = false;
  };
  return (
    <div class="cluster-clock" role="group" aria-label="The cluster's time">
      <button
        type="button"
        disabled={isBusy.value}
        aria-pressed={state.isPaused}
        onClick={() => void send({ action: state.isPaused ? 'resume' : 'pause' })}
      >
        {state.isPaused ? 'Go on' : 'Pause'}
      </button>
      {STEPS.map(([until, title]) => (
        <button
          key={until}
          type="button"
          disabled={isBusy.value || !state.isPaused}
          onClick={() => void send({ action: 'step', until })}
        >
          {title}
        </button>
      ))}
      <time title="the cluster's time">{formatTime(state.now)}</time>
      <span class="hint ended" role="status" title={ended.value}>
        {ended.value}
      </span>
    </div>
  );
}
