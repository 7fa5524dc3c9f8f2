// Pod functions shared by the controllers.
export { podFromTemplate, podNamePrefix } from './pod-from-template.ts';
