import { type FieldError, fieldErrorText } from '../../api/index.ts';

/** A problem with an argument; a string where kube-scheduler's own message is no field error. */
export type SettingProblem = FieldError | string;

/** Throws an error with all problems, if there are any. */
export function refuseArguments(plugin: string, problems: readonly SettingProblem[]): void {
  if (problems.length === 0) return;
  const texts = problems.map((problem) => (typeof problem === 'string' ? problem : fieldErrorText(problem)));
  throw new Error(`Cannot set up ${plugin}: ${texts.join(', ')}`);
}

/** `resources` in `scoringStrategy` is `scoringStrategy.resources`; a path may be empty. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
