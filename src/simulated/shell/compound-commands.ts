import { aborted } from '../../base/index.ts';
import { isIdleLoop } from './idle-loop.ts';
import { Jump } from './jump.ts';
import { evaluateArithmetic } from './language/arithmetic.ts';
import { expandPattern, type ExpansionScope, expandText, expandWords } from './language/expand-word.ts';
import { ShellPattern } from './language/match-pattern.ts';
import type { CompoundBody, Script, Word } from './language/syntax.ts';
import type { ShellState } from './shell-state.ts';
import type { SubshellHost } from './subshells.ts';
import { evaluateCondition } from './test-program.ts';

/** What compound commands need of a shell. */
export interface CompoundHost extends ExpansionScope, SubshellHost {
  readonly state: ShellState;
  runScript(script: Script): Promise<void>;
  /** Runs a condition, which may fail; true when it succeeds. */
  holds(condition: Script): Promise<boolean>;
  /** Reads the files of volumes that the words may name. */
  prepareFiles(words: readonly Word[]): Promise<void>;
  /** Waits for work, or until a signal with a trap arrives. */
  interruptible(work: Promise<unknown>): Promise<number | undefined>;
}

/** Runs a compound command, without its redirections. */
export async function runCompound(body: CompoundBody, shell: CompoundHost): Promise<void> {
  const { state } = shell;
  switch (body.type) {
    case 'group':
      return shell.runScript(body.body);
    case 'subshell':
      state.code = await shell.subshell(shell.process).runAlone(body.body);
      return;
    case 'if': {
      for (const branch of body.branches) if (await shell.holds(branch.condition)) return runBody(branch.body, shell);
      return runBody(body.otherwise, shell);
    }
    case 'while':
      return runWhile(body, shell);
    case 'for':
      return runFor(body, shell);
    case 'case':
      return runCase(body, shell);
    case 'condition':
      await shell.prepareFiles(body.words);
      state.code = await evaluateCondition(body.words, shell);
      return;
    case 'arithmetic':
      state.code = evaluateArithmetic(await expandText(body.expression, shell), shell) === 0n ? 1 : 0;
  }
}

async function runBody(script: Script, shell: CompoundHost): Promise<void> {
  shell.state.code = 0;
  await shell.runScript(script);
}

async function runFor(loop: Extract<CompoundBody, { type: 'for' }>, shell: CompoundHost): Promise<void> {
  await shell.prepareFiles(loop.words ?? []);
  const values = loop.words === undefined ? shell.state.parameters : await expandWords(loop.words, shell);
  let code = 0;
  for (const value of values) {
    shell.state.set(loop.name, value);
    const goesOn = await runTurn(loop.body, shell);
    code = shell.state.code;
    if (!goesOn) break;
  }
  shell.state.code = code;
}

async function runCase(choice: Extract<CompoundBody, { type: 'case' }>, shell: CompoundHost): Promise<void> {
  const subject = await expandText(choice.subject, shell);
  for (const { patterns, body: branch } of choice.branches) {
    for (const pattern of patterns) {
      if (new ShellPattern(await expandPattern(pattern, shell)).matches(subject)) return runBody(branch, shell);
    }
  }
  shell.state.code = 0;
}

async function runWhile(loop: Extract<CompoundBody, { type: 'while' }>, shell: CompoundHost): Promise<void> {
  if (isIdleLoop(loop, (name) => shell.state.functionNamed(name) !== undefined)) {
    await shell.interruptible(aborted(shell.process.signal));
    if (shell.process.signal.aborted) throw Jump.interrupt();
  }
  let code = 0;
  while ((await shell.holds(loop.condition)) !== loop.isUntil) {
    const goesOn = await runTurn(loop.body, shell);
    ({ code } = shell.state);
    if (!goesOn) break;
  }
  shell.state.code = code;
}

/** One turn of a loop; false when the loop is over. */
async function runTurn(body: Script, shell: CompoundHost): Promise<boolean> {
  try {
    shell.state.code = 0;
    await shell.runScript(body);
    return true;
  } catch (error) {
    if (!(error instanceof Jump) || (error.type !== 'break' && error.type !== 'continue')) throw error;
    if (error.levels > 1) throw error.outwards();
    shell.state.code = 0;
    return error.type === 'continue';
  }
}
