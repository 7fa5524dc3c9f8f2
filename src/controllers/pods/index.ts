// What the controllers share about pods.
export { podFromTemplate, podNamePrefix } from './pod-from-template.ts';
export {
  isActive,
  isAvailable,
  isFinished,
  isReady,
  isTerminating,
  nextAvailableInMs,
  readyCondition,
  readySince,
} from './pod-state.ts';
