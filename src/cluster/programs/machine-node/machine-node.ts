import type { ProgramBody } from '../program.ts';
import { OpenRealNode, realNodeFlags, realNodeInCluster } from './kubelet-in-cluster.ts';
import type { MachineNodeOptions } from './options.ts';
import { standaloneKubelet } from './standalone-kubelet.ts';

export const body: ProgramBody<MachineNodeOptions> = {
  readFlags: realNodeFlags,
  open: (context) => OpenRealNode.open(context),
  inCluster: (context, opened) => realNodeInCluster(context, opened as OpenRealNode | undefined),
  standalone: standaloneKubelet,
};
