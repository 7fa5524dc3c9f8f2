// What the command line may use of the programs without loading their code.
export { type FlagDefinition, type FlagDefinitions, FlagError, type FlagValues, grouped } from './flag.ts';
export type {
  ConfigurationField,
  ConfigurationFile,
  ConnectedProgram,
  ElectionTiming,
  Program,
  ProgramBody,
  ProgramContext,
  ProgramEntry,
  ProgramFlags,
  ProgramHelp,
  ServerChoice,
  StandaloneProgram,
  StandaloneTools,
} from './program.ts';
export { programs, type WorkloadOptions } from './programs.ts';
export { authorityOf, durationFlag, fileFlag, readFlagFile, usable } from './read-flags.ts';
export { type FlagGroup, flagsOf, type UpstreamFlag, type Verdict } from './upstream-flag.ts';
export { versionInfo } from '../versions.ts';
