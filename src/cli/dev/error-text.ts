import { inspect } from 'node:util';

/** Frames that are not of whoever wrote the app. */
const FOREIGN = /^\s+at .*(node:|\/node_modules\/)/;

/** An error for whoever wrote the app: what is wrong, and where in their own files. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `Error: ${inspect(error)}`;
  const { stack = '', cause } = error;
  const lines = stack.split('\n').filter((line) => !FOREIGN.test(line));
  const text = (stack === '' ? `${error.name}: ${error.message}` : lines.join('\n')).trimEnd();
  return cause === undefined ? text : `${text}\ncaused by ${errorText(cause)}`;
}
