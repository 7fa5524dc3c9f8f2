import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { compactStore, dumpStore, repairStore, restoreStore, verifyStore } from '../../store/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { defaultDataFolder } from './server-flags.ts';

const definitions: FlagDefinitions = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'The data folder of `keelson up` (default .keelson in the home folder)',
  },
  'accept-loss': { type: 'boolean', help: 'Let repair go on without what cannot be read' },
};

const usage = `Usage: keelson store verify|dump|repair|restore|compact [--data-dir DIR] [--accept-loss]

  verify   Read every file, check every record, tell what is damaged and where
  dump     Print all objects as JSON lines
  repair   Tell what a damaged store has lost; with --accept-loss, go on with what can be read
  restore  Make a new store from a dump on standard input, or from the file given
  compact  Write a fresh checkpoint and drop what is superfluous

The cluster must be stopped. verify, dump and repair without --accept-loss change nothing and work on read-only media.

${describeFlags(definitions)}`;

/** `keelson store verify|dump|repair|restore|compact` */
export const storeCommand: Command = {
  name: 'store',
  summary: 'Check, dump, repair, restore or compact the embedded store',
  usage,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [action = '', file] = flags.positionals;
    const folder = join(flags.text('data-dir') ?? defaultDataFolder(context.environment), 'store');
    switch (action) {
      case 'verify':
        return verify(folder, context);
      case 'dump':
        return dump(folder, context);
      case 'repair':
        return repair(folder, { acceptLoss: flags.isSet('accept-loss') }, context);
      case 'restore':
        return restore(folder, file, context);
      case 'compact':
        return compact(folder, context);
      default:
        throw new UsageError(
          action === '' ? 'what should be done?' : `"${action}" is not verify, dump, repair, restore or compact`,
        );
    }
  },
};

function offline(): { readonly clock: RealClock; readonly random: CryptoRandom } {
  return { clock: new RealClock(), random: new CryptoRandom() };
}

async function verify(folder: string, context: CommandContext): Promise<void> {
  const { files, problems, notes, state } = await verifyStore(folder, offline());
  for (const { name, bytes, contents } of files) context.print(`${name}: ${bytes} bytes, ${contents}`);
  for (const { file, offset, description } of notes) context.print(`note: ${file} at ${offset}: ${description}`);
  for (const { file, offset, description } of problems) context.print(`damage: ${file} at ${offset}: ${description}`);
  if (state !== undefined) context.print(`${state.objects} objects at revision ${state.revision}`);
  if (problems.length > 0) throw new Error(`the store in "${folder}" is damaged`);
  context.print('the store is sound');
}

async function dump(folder: string, context: CommandContext): Promise<void> {
  for await (const line of dumpStore(folder, offline())) context.print(line.trimEnd());
}

async function repair(
  folder: string,
  options: { readonly acceptLoss: boolean },
  context: CommandContext,
): Promise<void> {
  const { losses, objects, revision, movedTo } = await repairStore(folder, { ...offline(), ...options });
  for (const loss of losses) context.print(`lost: ${loss}`);
  if (losses.length === 0) {
    context.print(`the store is sound: ${objects} objects at revision ${revision}`);
  } else if (movedTo === undefined) {
    context.print(`${objects} objects can be read`);
    throw new Error(
      `the store in "${folder}" is damaged and was left as it is; --accept-loss goes on without the rest`,
    );
  } else {
    context.print(`the store goes on with ${objects} objects at revision ${revision}; its old files are in ${movedTo}`);
  }
}

async function restore(folder: string, file: string | undefined, context: CommandContext): Promise<void> {
  const input = file === undefined ? process.stdin : createReadStream(file);
  const { objects, revision } = await restoreStore(folder, createInterface({ input, crlfDelay: Infinity }));
  context.print(`restored ${objects} objects at revision ${revision} into ${folder}`);
}

async function compact(folder: string, context: CommandContext): Promise<void> {
  context.print(JSON.stringify(await compactStore(folder, offline()), undefined, 2));
}
