import type { InterfaceUsage, LinuxContainerResources, MeasuredUsage } from '../runtime/index.ts';

/** A group of processes: the whole machine, a pod, or a container. */
export interface Cgroup {
  readonly labels: Readonly<Record<'container' | 'id' | 'image' | 'name' | 'namespace' | 'pod', string>>;
  readonly startedAtMs: number;
  readonly usage: MeasuredUsage;
  readonly resources: LinuxContainerResources | undefined;
  /** Empty where they are not measured. */
  readonly interfaces?: readonly InterfaceUsage[];
  readonly processCount?: number | undefined;
}
