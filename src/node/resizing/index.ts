// The resources that a node has allocated to its pods, and changes of them while the pods run.
export { carryOutResize } from './carry-out-resize.ts';
export { PodResizes, type PodResizesParts } from './pod-resizes.ts';
export type { ResizePlan } from './resize-plan.ts';
