// What the controllers share about pods.
export { podFromTemplate, podNamePrefix } from './pod-from-template.ts';
