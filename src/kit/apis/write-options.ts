import { managerName, timestamp, type WriteOptions, writeOptions, type Writer } from '../../api/index.ts';
import type { VerbContext } from './verb-context.ts';

const KINDS = { create: 'CreateOptions', update: 'UpdateOptions' } as const;

/** The options in the query of a create, update or patch; throws a Status of 422 if any is invalid. */
export function optionsOf({ target }: VerbContext, isApply = false): WriteOptions {
  const { query, verb } = target;
  return writeOptions(query, verb === 'create' || verb === 'update' ? KINDS[verb] : 'PatchOptions', isApply);
}

/** The writer for managedFields. */
export function writerOf({ target, call, clock }: VerbContext): Writer {
  const manager = managerName(target.query.get('fieldManager'), call.header('user-agent') ?? '');
  return { manager, time: timestamp(clock.now()) };
}
