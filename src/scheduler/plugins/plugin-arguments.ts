import { type FieldError, fieldErrorText } from '../../api/index.ts';

/** What is wrong with a setting; a text where kube-scheduler's own words for it are no field error. */
export type SettingProblem = FieldError | string;

/** Fails with all that is wrong with the settings of a plugin, if anything is. */
export function refuseArguments(plugin: string, problems: readonly SettingProblem[]): void {
  if (problems.length === 0) return;
  const texts = problems.map((problem) => (typeof problem === 'string' ? problem : fieldErrorText(problem)));
  throw new Error(`Cannot set up ${plugin}: ${texts.join(', ')}`);
}

/** `resources` below `scoringStrategy` is `scoringStrategy.resources`; a path may be empty. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
