// What other folders may use: processors and memory of a machine, and devices near to them, assigned to containers as a kubelet's managers do.
export {
  type AssignmentOptions,
  DEFAULT_ASSIGNMENT_OPTIONS,
  staticCpuOptions,
  topologyOptions,
  type TopologyPolicy,
} from './assignment-options.ts';
export { ASSIGNMENT_ROWS, assignmentMetrics, type AssignmentMetrics } from './assignment-metrics.ts';
export { binary } from './binary-size.ts';
export { CpuReconciler, type CpuReconcilerParts, UNCHANGED } from './cpu-reconciler.ts';
export { formatCpuList, parseCpuList } from './cpu-list.ts';
export type { MachineTopology, NumaNode, Processor } from './machine-topology.ts';
export { type MachineShape, madeTopology } from './made-topology.ts';
export { type AssignerParts, checkAssignment, ResourceAssigner } from './resource-assigner.ts';
export { AdmissionError, type HintProvider, type ResourceHints, type TopologyHint } from './topology-hints.ts';
