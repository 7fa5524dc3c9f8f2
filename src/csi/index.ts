// What other folders may use: the Container Storage Interface, both sides.
export * from './published.ts';
export { type CsiNodeOptions, type CsiOnNode, openCsiNode } from './node/open-csi-node.ts';
export type { VolumeMachine } from './node/volume-machine.ts';
