import { isObject, type PluginEnd } from '../../../cni/index.ts';
import { type ConformCase, expectThat, type RuleLevel } from '../../suite.ts';
import { type CniWorld, endText, type PluginTry } from '../cni-world.ts';
import { onlyFor } from './applies.ts';

const ERRORS = 'CNI 1.1.0, section 5, errors';
const PARAMETERS = 'CNI 1.1.0, section 2, parameters';

/** A call that must fail. */
interface WrongCall {
  readonly name: string;
  readonly title: string;
  readonly rule: string;
  readonly source: string;
  readonly command?: string;
  /** The codes that fit. */
  readonly codes: readonly number[];
  /** What the message has to name. */
  readonly names?: string;
  readonly tried: Omit<PluginTry, 'signal' | 'container'>;
  readonly skip?: ConformCase<CniWorld>['skip'];
}

const missing = (variable: string): WrongCall => ({
  name: `missing-${variable.toLowerCase().replace('cni_', '')}`,
  title: `ADD without ${variable} fails`,
  rule: `${variable} is required for ADD; the message names variables that are invalid.`,
  source: PARAMETERS,
  codes: [4],
  names: variable,
  tried: { environment: { [variable]: undefined } },
});

const calls: readonly WrongCall[] = [
  {
    name: 'no-input',
    title: 'ADD without input fails',
    rule: 'A configuration that cannot be read is an error.',
    source: ERRORS,
    codes: [5, 6, 7],
    tried: { input: '' },
  },
  {
    name: 'broken-json',
    title: 'ADD with input that is no JSON fails',
    rule: 'Content that cannot be decoded is error 6.',
    source: ERRORS,
    codes: [6],
    tried: { input: '{"cniVersion": "1.0.0", "name": ' },
  },
  missing('CNI_CONTAINERID'),
  missing('CNI_NETNS'),
  missing('CNI_IFNAME'),
  {
    name: 'bad-container-id',
    title: 'an id that is a path is refused',
    rule: 'CNI_CONTAINERID starts with a letter or digit, and has only those, underscores, dots and hyphens.',
    source: PARAMETERS,
    codes: [4],
    tried: { environment: { CNI_CONTAINERID: '../../etc/passwd' } },
  },
  {
    name: 'unknown-command',
    title: 'a command that does not exist fails',
    rule: 'CNI_COMMAND is one of the commands of the specification.',
    source: PARAMETERS,
    command: 'JOIN',
    codes: [4],
    tried: {},
  },
  {
    name: 'unsupported-version',
    title: 'a configuration of a version that is not supported fails',
    rule: 'An incompatible version is error 1.',
    source: ERRORS,
    codes: [1],
    tried: { config: { cniVersion: '99.0.0' } },
  },
  {
    name: 'no-namespace',
    title: 'ADD to a namespace that does not exist fails',
    rule: 'A plugin that cannot do what it is asked fails.',
    source: 'CNI 1.1.0, section 2, errors',
    codes: [],
    tried: { environment: { CNI_NETNS: '/proc/1/no-such-namespace' } },
    skip: onlyFor('interface'), // others need not look at it
  },
];

/** Each wrong call is two rules: that it fails, and that its error can be read by programs. */
export const badInputCases: readonly ConformCase<CniWorld>[] = [
  ...calls.map((call) => caseOf(call, { name: call.name, title: call.title, level: 'must', judge: requireFailure })),
  ...calls
    .filter(({ codes }) => codes.length > 0)
    .map((call) =>
      caseOf(call, {
        name: `${call.name}-code`,
        title: `${call.title} with code ${call.codes.join(' or ')}`,
        level: 'should',
        judge: judgeCode(call),
      }),
    ),
  {
    name: 'error-format',
    title: 'errors are objects with a code and a message',
    rule: 'A plugin that fails prints an object with cniVersion, code and msg on standard output.',
    source: ERRORS,
    level: 'should',
    async run(world, signal) {
      const container = await world.container();
      const end = await world.call('ADD', { container, config: { cniVersion: '99.0.0' }, signal });
      const error = errorOf(end);
      expectThat(error !== undefined, `it prints ${JSON.stringify(end.stdout.slice(0, 300))} on standard output`);
      expectThat(Number.isInteger(error['code']), `code must be a number, got ${JSON.stringify(error['code'])}`);
      expectThat(
        typeof error['msg'] === 'string' && error['msg'] !== '',
        `msg must be a text, got ${JSON.stringify(error['msg'])}`,
      );
    },
  },
];

function judgeCode({ codes, names }: WrongCall): (end: PluginEnd) => void {
  return (end) => {
    const error = errorOf(end);
    expectThat(error !== undefined, `it prints no error object: ${endText(end)}`);
    const { code, msg, details } = error;
    expectThat(
      codes.some((each) => each === code),
      `code is ${JSON.stringify(code)}: ${endText(end)}`,
    );
    const text = `${String(msg)} ${String(details ?? '')}`;
    if (names !== undefined) expectThat(text.includes(names), `the message does not name ${names}: ${endText(end)}`);
  };
}

interface Judgement {
  readonly name: string;
  readonly title: string;
  readonly level: RuleLevel;
  readonly judge: (end: PluginEnd) => void;
}

function caseOf(call: WrongCall, { judge, ...named }: Judgement): ConformCase<CniWorld> {
  const { rule, source, command = 'ADD', tried, skip } = call;
  return {
    ...named,
    ...(skip === undefined ? {} : { skip }),
    rule,
    source,
    async run(world, signal) {
      const container = await world.container();
      judge(await world.call(command, { container, ...tried, signal }));
    },
  };
}

function requireFailure(end: PluginEnd): void {
  expectThat(end.code !== 0, `it succeeds: ${endText(end)}`);
  expectThat(end.signal === null && end.cutShort === undefined, `it does not end by itself: ${endText(end)}`);
}

function errorOf({ stdout }: PluginEnd): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(stdout);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // it printed something else, or nothing
  }
}
