import type { KubernetesObject } from '../../protocol.ts';
import { memberAt } from '../cluster/object-parts.ts';
import { numberOf } from './quantity.ts';

/** What an object used at a moment. */
export interface UsageSample {
  /** When it was measured, in milliseconds. */
  readonly time: number;
  readonly cpu: number;
  readonly memory: number;
}

const MAX_SAMPLES = 360;
const MAX_OBJECTS = 50;

/** What objects have used since the page was opened. Those that were looked at last are kept. */
export class UsageSamples {
  readonly #byUid = new Map<string, readonly UsageSample[]>();

  of(uid: string): readonly UsageSample[] {
    return this.#byUid.get(uid) ?? [];
  }

  /** Adds a sample if it is newer than the last one, and returns all. */
  add(uid: string, sample: UsageSample): readonly UsageSample[] {
    const known = this.of(uid);
    const samples = (known.at(-1)?.time ?? 0) < sample.time ? [...known, sample].slice(-MAX_SAMPLES) : known;
    this.#byUid.delete(uid);
    this.#byUid.set(uid, samples);
    const oldest = this.#byUid.keys().next().value;
    if (this.#byUid.size > MAX_OBJECTS && oldest !== undefined) this.#byUid.delete(oldest);
    return samples;
  }
}

/** The sample that a PodMetrics or NodeMetrics object has; containers of a pod are added up. */
export function sampleOf(metrics: KubernetesObject): UsageSample | undefined {
  const time = Date.parse(String(memberAt(metrics, ['timestamp'])));
  const containers = memberAt(metrics, ['containers']);
  const usages = Array.isArray(containers)
    ? containers.map((container) => memberAt(container, ['usage']))
    : [memberAt(metrics, ['usage'])];
  if (Number.isNaN(time) || usages.length === 0) return undefined;
  const sum = (name: string): number =>
    usages.reduce<number>((all, use) => all + (numberOf(memberAt(use, [name])) ?? 0), 0);
  return { time, cpu: sum('cpu'), memory: sum('memory') };
}
