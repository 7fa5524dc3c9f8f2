import type { Command, CompoundBody, Script, Word } from './language/syntax.ts';

const IDLE = new Set(['sleep', ':', 'true']);

/**
 * Whether a loop does nothing but sleep, forever: `while true; do sleep 60; done`. It needs no timers: nothing but a signal ends it.
 *
 * A function of the same name may do something else.
 */
export function isIdleLoop(
  { condition, body, isUntil }: Extract<CompoundBody, { type: 'while' }>,
  isFunction: (name: string) => boolean,
): boolean {
  const first = onlyCommand(condition);
  const name = first === undefined ? undefined : programOf(first);
  const holdsAlways = isUntil ? name === 'false' : name === 'true' || name === ':';
  if (!holdsAlways || isFunction(name ?? '')) return false;
  return body.every(({ first: { commands, isNegated }, rest, isBackground }) => {
    const [command] = commands;
    if (isBackground || isNegated || rest.length > 0 || commands.length !== 1 || command === undefined) return false;
    const program = programOf(command);
    return program !== undefined && IDLE.has(program) && !isFunction(program);
  });
}

function onlyCommand(script: Script): Command | undefined {
  const [item, ...others] = script;
  if (item === undefined || others.length + item.rest.length > 0 || item.isBackground || item.first.isNegated)
    return undefined;
  return item.first.commands.length === 1 ? item.first.commands[0] : undefined;
}

/** The name of a simple command whose words are plain texts; undefined for any other. */
function programOf(command: Command): string | undefined {
  if (command.type !== 'simple') return undefined;
  const { words, assignments, redirections } = command;
  if (assignments.length + redirections.length > 0 || !words.every(isPlain)) return undefined;
  const texts = words.map((word) => word.map((part) => (part.type === 'text' ? part.text : '')).join(''));
  const [name = '', ...args] = texts;
  if (name !== 'sleep') return name;
  return args.length > 0 && args.every((arg) => /^(?:\d+(?:\.\d+)?[smhd]?|infinity)$/.test(arg)) ? name : undefined;
}

function isPlain(word: Word): boolean {
  return word.every((part) => part.type === 'text');
}
