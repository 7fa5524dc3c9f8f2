import { inspect } from 'node:util';

/** Stack frames outside the app's code. */
const FOREIGN = /^\s+at .*(node:|\/node_modules\/)/;

/** Formats an error for the app's author: its messages and the frames in the app's files. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `Error: ${inspect(error)}`;
  const { stack = '', cause } = error;
  const lines = stack.split('\n').filter((line) => !FOREIGN.test(line));
  const text = (stack === '' ? `${error.name}: ${error.message}` : lines.join('\n')).trimEnd();
  return cause === undefined ? text : `${text}\ncaused by ${errorText(cause)}`;
}
