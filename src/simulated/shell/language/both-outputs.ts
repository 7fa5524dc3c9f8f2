import type { Command, Redirection } from './syntax.ts';

/** `2>&1` */
export const ERRORS_TO_OUTPUT: Redirection = {
  operator: '>&',
  descriptor: 2,
  target: [{ type: 'text', text: '1', isQuoted: false }],
};

/** `|&` */
export function withErrors(command: Command): Command {
  if (command.type === 'function') return command;
  return { ...command, redirections: [...command.redirections, ERRORS_TO_OUTPUT] };
}
