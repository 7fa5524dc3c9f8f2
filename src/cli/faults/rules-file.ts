import { readFile } from 'node:fs/promises';
import { parseDuration } from '../../base/index.ts';
import { documentsIn } from '../../client/manifests/index.ts';
import type { ProxiedFault, RequestVerb } from '../../testing/index.ts';
import { UsageError } from '../command.ts';

/** What a file of rules says. */
export interface FaultFile {
  readonly seed: string | undefined;
  readonly faults: readonly ProxiedFault[];
}

type Members = Readonly<Record<string, unknown>>;

/** Members of each type besides those of all rules. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  conflict: [],
  expired: [],
  tooManyRequests: ['retryAfterSeconds'],
  internalError: ['message'],
  unavailable: ['message'],
  timeout: [],
  latency: ['delay'],
  late: ['delay'],
  dropped: [],
  lostAnswer: [],
  silent: [],
  staleRead: [],
  lostLease: ['holder'],
};
const TARGET = ['program', 'verb', 'resource', 'namespace', 'name'];
const CHANCE = ['times', 'probability', 'after', 'every'];
const VERBS: readonly string[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
] satisfies readonly RequestVerb[];
const NUMBERS = ['times', 'probability', 'after', 'retryAfterSeconds'];
const DURATIONS = ['delay', 'every'];

/** Reads the rules of a fault proxy. */
export async function readFaultFile(file: string): Promise<FaultFile> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`there is no file "${file}"`, { cause });
  });
  const [document, ...more] = documentsIn(text, file);
  if (document === undefined || more.length > 0) throw new UsageError(`"${file}" must have one document`);
  const refuse = (problem: string): UsageError => new UsageError(`cannot read "${file}": ${problem}`);
  const { seed, faults, ...others } = membersOf(document.value, () => refuse('it must be a mapping'));
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`it has no "${unknown}": there are seed, faults`);
  if (!Array.isArray(faults) || faults.length === 0) throw refuse('"faults" must be a list with a rule at least');
  return {
    seed: seed === undefined ? undefined : String(seed),
    faults: faults.map((each: unknown, index) => ruleOf(each, (problem) => refuse(`rule ${index + 1}: ${problem}`))),
  };
}

function ruleOf(value: unknown, refuse: (problem: string) => UsageError): ProxiedFault {
  const rule = membersOf(value, () => refuse('it must be a mapping'));
  const { type } = rule;
  const own = typeof type === 'string' ? TYPES[type] : undefined;
  if (own === undefined)
    throw refuse(`"type" must be one of ${Object.keys(TYPES).join(', ')}, got ${JSON.stringify(type)}`);
  const known = ['type', ...own, ...TARGET, ...CHANCE];
  for (const [name, each] of Object.entries(rule)) {
    if (!known.includes(name)) throw refuse(`${String(type)} has no "${name}": there are ${known.join(', ')}`);
    if (NUMBERS.includes(name) && typeof each !== 'number') throw refuse(`"${name}" must be a number`);
    if (DURATIONS.includes(name)) checkDuration(name, each, refuse);
  }
  if (own.includes('delay') && rule['delay'] === undefined) throw refuse(`${String(type)} needs a "delay"`);
  const verbs = [rule['verb'] ?? []].flat();
  const wrong = verbs.find((verb) => !VERBS.includes(String(verb)));
  if (wrong !== undefined) throw refuse(`"verb" must be of ${VERBS.join(', ')}, got ${JSON.stringify(wrong)}`);
  const isOther = type === 'staleRead' && verbs.some((verb) => verb !== 'list');
  if (isOther) throw refuse('staleRead is about lists alone: single objects of the past cannot be asked for');
  return { ...rule, ...(type === 'staleRead' ? { verb: 'list' } : {}) } as ProxiedFault;
}

function checkDuration(name: string, value: unknown, refuse: (problem: string) => UsageError): void {
  try {
    parseDuration(String(value));
  } catch {
    throw refuse(`"${name}" must be a duration such as 200ms or 1m, got ${JSON.stringify(value)}`);
  }
}

function membersOf(value: unknown, refuse: () => UsageError): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse();
  return value as Members;
}
