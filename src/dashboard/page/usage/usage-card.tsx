import { useSignal } from '@preact/signals';
import type { KubernetesObject } from '../../protocol.ts';
import { formatTime } from '../browser/ages.ts';
import { sleep } from '../browser/clock.ts';
import { pathOf, type ResourceKind } from '../cluster/resource-kind.ts';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';
import { formatBytes, formatCpu } from './quantity.ts';
import { sampleOf, type UsageSample } from './usage-samples.ts';

const METRICS = 'metrics.k8s.io';
const REFRESH_MS = 10_000;
const WIDTH = 200;
const HEIGHT = 34;

/** What a pod or node uses, since the page began to look, where the cluster serves metrics. */
export function UsageCard({ kind, object }: { readonly kind: ResourceKind; readonly object: KubernetesObject }) {
  const { connection, discovery, usage, moment } = useApp();
  const metrics = kind.group === '' ? discovery.find(`${kind.resource}.${METRICS}`) : undefined;
  const { uid = '', namespace, name } = object.metadata ?? {};
  const samples = useSignal<readonly UsageSample[]>(usage.of(uid));
  useRun(
    async (signal) => {
      while (!signal.aborted && metrics !== undefined) {
        try {
          const measured = await connection.clusterJson(pathOf(metrics, { namespace, name }), { signal });
          const sample = sampleOf(measured);
          if (sample !== undefined && !signal.aborted) samples.value = usage.add(uid, sample);
        } catch {
          // pods that have just begun have none yet, and viewers may not be allowed to see any
        }
        await sleep(REFRESH_MS, signal);
      }
    },
    [connection, metrics, uid, connection.generation.value],
  );
  const [first, last] = [samples.value[0], samples.value.at(-1)];
  if (metrics === undefined || first === undefined || last === undefined || moment.value !== undefined) return null;
  return (
    <section class="card">
      <h2>
        Usage <small>since {formatTime(first.time).slice(0, -4)}</small>
      </h2>
      <Course title="CPU" values={samples.value.map(({ cpu }) => cpu)} format={formatCpu} />
      <Course title="Memory" values={samples.value.map(({ memory }) => memory)} format={formatBytes} />
    </section>
  );
}

interface CourseProps {
  readonly title: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
}

/** A number and how it got there. */
function Course({ title, values, format }: CourseProps) {
  const most = Math.max(...values);
  const [last = 0] = values.slice(-1);
  // one measurement is a level, not a course
  const drawn = values.length === 1 ? [last, last] : values;
  const points = drawn.map((value, index) => {
    const [x, y] = [(WIDTH * index) / (drawn.length - 1), HEIGHT - 2 - ((HEIGHT - 4) * value) / (most || 1)];
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <div class="course">
      <span class="pair-name">{title}</span>
      <strong>{format(last)}</strong>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
        <polyline points={points.join(' ')} />
      </svg>
      <small>at most {format(most)}</small>
    </div>
  );
}
