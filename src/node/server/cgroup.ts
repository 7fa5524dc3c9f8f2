import type { CgroupFigures } from '../runtime/index.ts';

/** A group of processes: the whole machine, pods, a pod, a sandbox or a container. */
export interface Cgroup {
  readonly labels: Readonly<Record<'container' | 'id' | 'image' | 'name' | 'namespace' | 'pod', string>>;
  readonly figures: CgroupFigures;
}
