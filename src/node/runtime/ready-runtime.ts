import type { RuntimeStatus } from './container-runtime.ts';

/** The status of a runtime that is always ready and has one handler without features. */
export const READY_RUNTIME: RuntimeStatus = {
  conditions: ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true, reason: '', message: '' })),
  runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: false } }],
  features: { supplementalGroupsPolicy: false },
};
