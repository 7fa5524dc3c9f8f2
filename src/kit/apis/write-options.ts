import { badRequest, managerName, type Writer } from '../../api/index.ts';
import { isTrue } from './api-call.ts';
import type { VerbContext } from './verb-context.ts';

/** Whether nothing shall be stored. */
export function isDryRun(query: URLSearchParams): boolean {
  const asked = query.getAll('dryRun').filter((value) => value !== '');
  const wrong = asked.find((value) => value !== 'All');
  if (wrong !== undefined)
    throw badRequest(`invalid: dryRun: Unsupported value: ${JSON.stringify(wrong)}: supported values: "All"`);
  return asked.length > 0;
}

export function isForced(query: URLSearchParams): boolean {
  return isTrue(query.get('force'));
}

/** Who writes, for managedFields. */
export function writerOf({ target, call, clock }: VerbContext): Writer {
  const manager = managerName(target.query.get('fieldManager') ?? '', call.header('user-agent') ?? '');
  return { manager, time: timestamp(clock.now()) };
}

/** As `metadata` writes times. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
