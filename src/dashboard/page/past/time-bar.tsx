import { useSignal } from '@preact/signals';
import type { HistoryMoments, HistoryPage, Moment } from '../../protocol.ts';
import { formatTime } from '../browser/ages.ts';
import { sleep } from '../browser/clock.ts';
import { Age } from '../parts/age.tsx';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';

const BUCKETS = 160;
const REFRESH_MS = 4_000;

/** A slider over the kept history, with how much changed when: the whole page shows the moment that it is set to. */
export function TimeBar() {
  const { connection, moment } = useApp();
  const moments = useSignal<HistoryMoments | undefined>(undefined);
  const problem = useSignal('');
  const canSeePast = connection.info.value?.canSeePast === true;
  useRun(
    async (signal) => {
      while (!signal.aborted && canSeePast) {
        // the slider does not move under the viewer's hand while it shows the past
        if (moment.peek() === undefined && document.visibilityState === 'visible')
          moments.value = await connection
            .own<HistoryMoments>(`history/moments?buckets=${BUCKETS}`, { signal })
            .catch(() => moments.peek());
        await sleep(REFRESH_MS, signal);
      }
    },
    [connection, canSeePast, connection.generation.value],
  );
  const known = moments.value;
  if (!canSeePast || known === undefined || known.buckets.length === 0) return null;
  const buckets = known.buckets;
  const most = Math.max(1, ...buckets.map(({ changes }) => changes));
  const shown = moment.value;
  const position = shown === undefined ? buckets.length : positionOf(buckets, shown);
  const choose = (index: number): void => {
    const bucket = buckets[index];
    moment.value = bucket === undefined ? undefined : { revision: bucket.revision, time: bucket.time };
  };
  const step = async (direction: 'back' | 'on'): Promise<void> => {
    problem.value = '';
    const next = await neighbour(direction).catch(() => undefined);
    if (next !== undefined) moment.value = next;
    else if (direction === 'on') moment.value = undefined;
    else problem.value = 'There is nothing older.';
  };
  const neighbour = async (direction: 'back' | 'on'): Promise<Moment | undefined> => {
    const at = moment.peek()?.revision ?? known.newest.revision + 1;
    if (direction === 'back') {
      const page = await connection.own<HistoryPage>(`history?to=${at - 1}&limit=1`);
      return page.items[0];
    }
    // the newest first: the last of those after this moment is the next one
    const page = await connection.own<HistoryPage>(`history?from=${at + 1}&to=${at + 200}&limit=1000`);
    return page.items.at(-1);
  };
  return (
    <section class={`time-bar ${shown === undefined ? '' : 'past'}`} aria-label="Time">
      <button
        type="button"
        class="quiet"
        onClick={() => void step('back')}
        aria-label="One change back"
        title="One change back"
      >
        ‹
      </button>
      <button
        type="button"
        class="quiet"
        disabled={shown === undefined}
        onClick={() => void step('on')}
        aria-label="One change on"
        title="One change on"
      >
        ›
      </button>
      <div class="slider">
        <svg viewBox={`0 0 ${buckets.length} 20`} preserveAspectRatio="none" aria-hidden="true">
          {buckets.map(({ changes, time }, index) => {
            const height = changes === 0 ? 0 : 2 + (18 * Math.log1p(changes)) / Math.log1p(most);
            return (
              <rect
                key={time}
                x={index + 0.1}
                width="0.8"
                y={20 - height}
                height={height}
                class={index <= position ? 'on' : ''}
              />
            );
          })}
        </svg>
        <input
          type="range"
          min="0"
          max={buckets.length}
          value={position}
          aria-label="Moment"
          aria-valuetext={shown === undefined ? 'now' : `${formatTime(shown.time)}, revision ${shown.revision}`}
          onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
        />
      </div>
      <span class="moment" role="status">
        {shown === undefined ? (
          <>
            now <small>history since {formatTime(known.oldest.time).slice(0, -4)}</small>
          </>
        ) : (
          <>
            <strong>{formatTime(shown.time)}</strong>{' '}
            <small>
              <Age since={shown.time} /> ago, revision {shown.revision} {problem.value}
            </small>
          </>
        )}
      </span>
      <button
        type="button"
        class={shown === undefined ? 'quiet' : 'primary'}
        disabled={shown === undefined}
        onClick={() => (moment.value = undefined)}
      >
        Now
      </button>
    </section>
  );
}

function positionOf(buckets: HistoryMoments['buckets'], { revision }: Moment): number {
  const index = buckets.findIndex((bucket) => bucket.revision >= revision);
  return index < 0 ? buckets.length - 1 : index;
}
