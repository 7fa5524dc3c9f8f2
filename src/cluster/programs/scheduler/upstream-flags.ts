import { sharedVerdicts, standaloneVerdicts } from '../shared-verdicts.ts';
import { type FlagGroup, flagsOf, overridden } from '../upstream-flag.ts';

const groups: readonly FlagGroup[] = [
  ...sharedVerdicts,
  {
    verdict: 'refused',
    why: 'use --scheduler-config; "keelson scheduler" has this flag',
    flags: 'config write-config-to',
  },
  {
    verdict: 'refused',
    why: 'the default is used; no other value is supported',
    flags: 'pod-max-in-unschedulable-pods-duration=5m|5m0s',
  },
];

const standalone: readonly FlagGroup[] = [
  ...standaloneVerdicts,
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: 'config pod-max-in-unschedulable-pods-duration write-config-to',
  },
];

/** Every flag of kube-scheduler 1.36, for `keelson up` and for the program alone. */
export const schedulerFlags = {
  inCluster: flagsOf(groups),
  standalone: overridden(flagsOf(groups), flagsOf(standalone)),
};
