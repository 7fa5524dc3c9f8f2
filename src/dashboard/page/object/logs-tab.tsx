import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { KubernetesObject } from '../../protocol.ts';
import { formatTime } from '../browser/ages.ts';
import { memberAt, textAt } from '../cluster/object-parts.ts';
import { useRun } from '../parts/use-run.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { useApp } from '../shell/app-context.ts';
import { LogLines, type LogLine } from './log-lines.ts';
import type { TabProps } from './tab-props.ts';

const LINE_HEIGHT = 19;
const HUES = 6;

/** The logs of all containers of a pod or of one, followed, with a search. */
export function LogsTab({ kind, object }: TabProps) {
  const { connection } = useApp();
  const all = containersOf(object);
  const chosen = useSignal('');
  const isPrevious = useSignal(false);
  const hasTimes = useSignal(false);
  const wanted = useSignal('');
  const isFollowing = useSignal(true);
  const { namespace = '', name = '', uid = '' } = object.metadata ?? {};
  const containers = chosen.value === '' ? all : [chosen.value];
  const logs = useMemo(
    () => new LogLines(connection, { kind, namespace, name, containers, isPrevious: isPrevious.value }),
    [connection, uid, containers.join(), isPrevious.value],
  );
  useRun((signal) => logs.run(signal), [logs, connection.generation.value]);
  const shown = useComputed(() => {
    void logs.version.value;
    const text = wanted.value.toLowerCase();
    return text === '' ? [...logs.lines] : logs.lines.filter((line) => line.text.toLowerCase().includes(text));
  });
  const lines = shown.value;
  return (
    <div class="logs-tab">
      <div class="toolbar">
        <select
          aria-label="Container"
          value={chosen.value}
          onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
        >
          <option value="">all containers</option>
          {all.map((container) => (
            <option key={container} value={container}>
              {container}
            </option>
          ))}
        </select>
        <input
          id="filter"
          type="search"
          placeholder="Lines with  /"
          aria-label="Show only lines with this text"
          value={wanted.value}
          onInput={({ currentTarget }) => (wanted.value = currentTarget.value)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isFollowing.value}
            onChange={() => (isFollowing.value = !isFollowing.value)}
          />
          follow
        </label>
        <label class="check">
          <input type="checkbox" checked={hasTimes.value} onChange={() => (hasTimes.value = !hasTimes.value)} />
          times
        </label>
        <label class="check">
          <input type="checkbox" checked={isPrevious.value} onChange={() => (isPrevious.value = !isPrevious.value)} />
          previous
        </label>
        <span class="count" role="status">
          {lines.length} {lines.length === 1 ? 'line' : 'lines'}
          {logs.dropped.value > 0 ? `, ${logs.dropped.value} older ones dropped` : ''}
        </span>
      </div>
      {[...logs.problems.value].map(([container, message]) => (
        <p key={container} class="problem" role="status">
          {container}: {message}
        </p>
      ))}
      <VirtualRows
        class="logs"
        label="Log"
        role="list"
        count={lines.length}
        rowHeight={LINE_HEIGHT}
        isFollowing={isFollowing.value}
        onScrolledAway={(isAway) => {
          if (isAway && isFollowing.peek()) isFollowing.value = false;
        }}
        renderRow={(index) => {
          const line = lines[index];
          if (line === undefined) return null;
          return (
            <LogRow
              key={line.number}
              line={line}
              hue={all.length > 1 ? (all.indexOf(line.container) % HUES) + 1 : 0}
              hasTime={hasTimes.value}
              wanted={wanted.value}
            />
          );
        }}
      />
    </div>
  );
}

function LogRow({
  line,
  hue,
  hasTime,
  wanted,
}: {
  readonly line: LogLine;
  readonly hue: number;
  readonly hasTime: boolean;
  readonly wanted: string;
}) {
  return (
    <div class="log-row" role="listitem">
      {hue === 0 ? null : <span class={`log-container hue-${hue}`}>{line.container}</span>}
      {hasTime ? <time>{line.time === '' ? '' : formatTime(line.time)}</time> : null}
      <code>{marked(line.text, wanted)}</code>
    </div>
  );
}

function marked(text: string, wanted: string) {
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}

export function containersOf(object: KubernetesObject): string[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((member) => {
    const list = memberAt(object, ['spec', member]);
    return Array.isArray(list) ? list.map((container) => textAt(container, ['name'])) : [];
  });
}
