// What the rest of the scheduler may import: reading, checking and writing configuration files.
export type { SchedulerConfiguration } from './configuration.ts';
export { readSchedulerConfiguration, SchedulerConfigurationError } from './read-configuration.ts';
export { type ConfiguredSchedulerContext, configuredScheduler } from './scheduler-options.ts';
export { schedulerConfigurationText } from './write-configuration.ts';
