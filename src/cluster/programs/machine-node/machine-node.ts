import type { ProgramBody } from '../program.ts';
import { standaloneKubelet } from './standalone-kubelet.ts';

export const body: ProgramBody = {
  inCluster() {
    throw new Error('Cannot run the agent of a machine in a cluster: it is a program of its own');
  },
  standalone: standaloneKubelet,
};
